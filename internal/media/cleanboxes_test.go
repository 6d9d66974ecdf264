package media

import (
	"bytes"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

func boxOf(name string, body ...any) []byte {
	b := join(body...)
	return join(be32(len(b)+8), name, b)
}

func handlerBox(kind, name string) []byte {
	return boxOf("hdlr", make([]byte, 8), kind, make([]byte, 12), name, 0)
}

// samples are the bytes of pictures and sounds, which stay at their place.
const samples = "the samples of the pictures"

// movie returns a movie with boxes in some of its places.
func movie(top, inMovie, inTrack, inMedia string, name string) []byte {
	media := boxOf("mdia", boxOf("mdhd", make([]byte, 24)), handlerBox("vide", name),
		boxOf("minf", boxOf("vmhd", make([]byte, 12)),
			boxOf("dinf", boxOf("dref", make([]byte, 8), boxOf("url ", 0, 0, 0, 1))),
			boxOf("stbl", boxOf("stsd", make([]byte, 8)))), inMedia)
	return join(boxOf("ftyp", "isom"), top, boxOf("mdat", samples),
		boxOf("moov", boxOf("mvhd", make([]byte, 100)), inMovie,
			boxOf("trak", boxOf("tkhd", make([]byte, 84)), inTrack, media)))
}

func moviesWith(text string) map[string][]byte {
	box := func(name string, body ...any) string { return string(boxOf(name, body...)) }
	position := box("udta", boxOf("\xa9xyz", 0, 18, 0x15, 0xc7, text))
	return map[string][]byte{
		"position":        movie("", position, "", "", ""),
		"of a track":      movie("", "", position, "", ""),
		"of its media":    movie("", "", "", position, ""),
		"top":             movie(position, "", "", "", ""),
		"name of a track": movie("", "", "", "", text),
		"keys":            movie("", box("meta", handlerBox("mdta", ""), boxOf("keys", text)), "", "", ""),
		"top meta":        movie(box("meta", 0, 0, 0, 0, handlerBox("mdir", ""), boxOf("ilst", text)), "", "", "", ""),
		"short meta":      movie(box("meta", text), "", "", "", ""),
		"XMP": movie(box("uuid", "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac", text),
			"", "", "", ""),
		"free":    movie(box("free", text), "", "", "", ""),
		"skip":    movie("", box("skip", text), "", "", ""),
		"wide":    movie(box("wide", text), "", "", "", ""),
		"unknown": movie(box("GPS ", text), box("gps ", text), "", "", ""),
		"events":  movie(box("emsg", text), "", "", "", ""),
		"fragment": join(movie("", "", "", "", ""),
			boxOf("moof", boxOf("mfhd", 0, 0, 0, 0), boxOf("traf", position))),
		"up to the end": join(movie("", "", "", "", ""), 0, 0, 0, 0, "udta", text),
		"long form":     join(movie("", "", "", "", ""), 0, 0, 0, 1, "udta", 0, 0, 0, 0, 0, 0, 0, 16+len(text), text),
		"elsewhere": movie("", "",
			string(boxOf("dinf", boxOf("dref", make([]byte, 8), boxOf("alis", 0, 0, 0, 0, text)))), "", ""),
		"behind the list": join(boxOf("ftyp", "qt  "), boxOf("moov", boxOf("udta", text), 0, 0, 0, 0)),
		"time of creation": bytes.Replace(movie("", "", "", "", ""), join("mvhd", 0, 0, 0, 0, 0, 0, 0, 0),
			join("mvhd", 0, 0, 0, 0, "when"), 1),
		"time, in 64 bits":  boxOf("moov", boxOf("mvhd", 1, 0, 0, 0, "creationmodified", make([]byte, 96))),
		"among many others": movie(strings.Repeat(box("free", make([]byte, 100)), 1000)+position, "", "", "", ""),
	}
}

// item is an entry of the items of a picture.
func item(id int, kind string, more string) []byte {
	return boxOf("infe", 2, 0, 0, 0, be16(id), 0, 0, kind, more)
}

// itemsAt returns the list of three items of a picture, of which the second is in data that are at a place, and the
// third in the list.
func itemsAt(at int, second, third, text, property string) []byte {
	place := boxOf("iloc", 1, 0, 0, 0, 0x44, 0x00, be16(3),
		be16(1), 0, 0, 0, 0, be16(1), be32(at), be32(len(samples)),
		be16(2), 0, 0, 0, 0, be16(1), be32(at+len(samples)), be32(len(text)),
		be16(3), inList, be16(1), be32(0), be32(len(text)))
	return boxOf("meta", 0, 0, 0, 0, handlerBox("pict", ""), boxOf("pitm", 0, 0, 0, 0, 0, 1), place,
		boxOf("iinf", 0, 0, 0, 0, be16(3), item(1, "hvc1", "\x00"), item(2, second[:4], second[4:]),
			item(3, third[:4], third[4:])),
		boxOf("iprp", boxOf("ipco", boxOf("ispe", make([]byte, 12)), property), boxOf("ipma", make([]byte, 8))),
		boxOf("idat", text))
}

const inList = "\x00\x01\x00\x00" // the bytes of an item, and of no other file

// picture returns a HEIC with three items, in which data follow the list.
func picture(second, third, text, property string) []byte {
	ftyp := boxOf("ftyp", "heic")
	list := itemsAt(len(ftyp)+len(itemsAt(0, second, third, text, property))+8, second, third, text, property)
	return join(ftyp, list, boxOf("mdat", samples, text, samples))
}

func itemsWith(text string) map[string][]byte {
	return map[string][]byte{
		"EXIF and XMP":    picture("Exif\x00", "mime\x00application/rdf+xml\x00", text, ""),
		"XMP and EXIF":    picture("mimex\x00application/rdf+xml\x00", "Exif\x00", text, ""),
		"links":           picture("uri \x00"+text, "ABCD\x00", text, ""),
		"name of an item": picture("Exif"+text, "Exif", text, ""),
		"description":     picture("Exif", "Exif", text, string(boxOf("udes", 0, 0, 0, 0, text))),
		"motion":          join(picture("Exif", "Exif", text, ""), boxOf("mpvd", text)),
	}
}

// listOfPlaces returns a list with EXIF that has a number of extents at one place, and more boxes.
func listOfPlaces(method string, extents, start, length int, more ...any) []byte {
	place := join(1, 0, 0, 0, 0x44, 0x00, be16(1), be16(1), method, 0, 0, be16(extents),
		bytes.Repeat(join(be32(start), be32(length)), extents))
	return boxOf("meta", 0, 0, 0, 0, handlerBox("pict", ""), boxOf("iinf", 0, 0, 0, 0, be16(1), item(1, "Exif", "")),
		boxOf("idat", marker), boxOf("iloc", place), join(more...))
}

// TestPlacesStay: the boxes of a movie and the items of a picture that show it stay at their places, with their
// samples.
func TestPlacesStay(t *testing.T) {
	for mediaType, files := range map[string]map[string][]byte{"video/mp4": moviesWith(marker),
		"image/heic": itemsWith(marker)} {
		for name, file := range files {
			out, _, _ := clean(t, file, mediaType)
			assert.Equal(t, name+": size, and samples", []int{len(out),
				bytes.Index(out, []byte(samples)), bytes.LastIndex(out, []byte(samples))},
				[]int{len(file), bytes.Index(file, []byte(samples)), bytes.LastIndex(file, []byte(samples))})
		}
	}
	plain := movie("", "", "", "", "")
	out, removed, isClean := clean(t, plain, "video/mp4")
	assert.Equal(t, "a movie without metadata", []any{string(out), removed, isClean}, []any{string(plain), 0, true})
	for name, list := range map[string][]byte{
		"one extent":   listOfPlaces("\x00\x01", 1, 0, len(marker)),
		"most extents": listOfPlaces("\x00\x00", mostHidden, 1<<20, 1),
	} {
		_, _, isClean := clean(t, list, "image/heic")
		assert.Equal(t, name, isClean, true)
	}
	var manyItems []byte
	for n := range mostHidden + 1 {
		manyItems = append(manyItems, item(n, "Exif", "")...)
	}
	sound := picture("Exif", "Exif", marker, "")
	for name, damaged := range map[string][]byte{
		"data before the list": join(boxOf("ftyp", "heic"), boxOf("mdat", samples, marker),
			itemsAt(20, "Exif", "Exif", marker, "")),
		"no place":        bytes.Replace(sound, []byte("iloc"), []byte("free"), 1),
		"in another item": bytes.ReplaceAll(sound, join(be16(3), inList), join(be16(3), "\x00\x02\x00\x00")),
		"behind the data": bytes.Replace(sound, join(be32(0), be32(len(marker))), join(be32(1), be32(len(marker))),
			1),
		"old entries":   bytes.Replace(sound, join("infe", 2), join("infe", 1), 1),
		"overlapping":   listOfPlaces("\x00\x01", 2, 0, len(marker)-1),
		"second list":   join(sound, itemsAt(1<<20, "Exif", "Exif", marker, "")),
		"second places": listOfPlaces("\x00\x01", 1, 0, 1, boxOf("iloc", make([]byte, 8))),
		"second data":   listOfPlaces("\x00\x01", 1, 0, 1, boxOf("idat", marker)),
		"many places":   listOfPlaces("\x00\x00", mostHidden+1, 1<<20, 1),
		"many items":    listOfPlaces("\x00\x01", 1, 0, 1, boxOf("iinf", make([]byte, 6), manyItems)),
		"longest list": boxOf("meta", 0, 0, 0, 0, handlerBox("pict", ""),
			boxOf("free", make([]byte, longestItems))),
	} {
		if _, _, isClean := clean(t, damaged, "image/heic"); isClean {
			t.Errorf("%s is clean", name)
		}
	}
}

// TestDepthIsBounded: boxes that are nested more deeply than those of any film are stored as they are, with sizes or
// without.
func TestDepthIsBounded(t *testing.T) {
	nested := func(levels int) (out []byte) {
		for range levels {
			out = boxOf("moov", out)
		}
		return out
	}
	open := bytes.Repeat(join(0, 0, 0, 0, "moov"), 1000)
	for name, c := range map[string]struct {
		file    []byte
		isClean bool
	}{
		"deepest":      {nested(deepestBox), true},
		"deeper":       {nested(deepestBox + 1), false},
		"without size": {join(open, boxOf("udta", marker)), false},
		"many, behind": {join(bytes.Repeat(boxOf("moov"), 1000), nested(deepestBox)), true},
	} {
		out, removed, isClean := clean(t, c.file, "video/mp4")
		assert.Equal(t, name, []any{string(out), removed, isClean}, []any{string(c.file), 0, c.isClean})
	}
}

// element returns an element of Matroska with a size of 8 bytes.
func element(id string, body ...any) []byte {
	b := join(body...)
	return join(id, 0x01, 0, 0, 0, be32(len(b)), b)
}

func matroskaWith(text string) map[string][]byte {
	file := func(info, track, segment string) []byte {
		return join(element("\x1a\x45\xdf\xa3", "webm"), "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff",
			element("\x15\x49\xa9\x66", element("\x2a\xd7\xb1", 1), info),
			element("\x16\x54\xae\x6b", element("\xae", element("\xd7", 1), element("\x83", 1), track)), segment,
			"\x1f\x43\xb6\x75\xff", element("\xe7", 0), element("\xa3", samples))
	}
	of := func(id string) string { return string(element(id, text)) }
	return map[string][]byte{
		"tags":        file("", "", of("\x12\x54\xc3\x67")),
		"short tags":  file("", "", string(join("\x12\x54\xc3\x67", 0x80|len(text), text))),
		"attachments": file("", "", of("\x19\x41\xa4\x69")),
		"chapters":    file("", "", of("\x10\x43\xa7\x70")),
		"title":       file(of("\x7b\xa9"), "", ""),
		"time":        file(of("\x44\x61"), "", ""),
		"program":     file(of("\x4d\x80")+of("\x57\x41"), "", ""),
		"file name":   file(of("\x73\x84"), "", ""),
		"track name":  file("", of("\x53\x6e"), ""),
		"codec name":  file("", of("\x25\x86\x88"), ""),
		"void":        file("", of("\xec"), of("\xec")),
		"checksum":    file("", "", string(join("\xbf\x84abcd"))+of("\xec")),
		"behind":      join(file("", "", ""), of("\x12\x54\xc3\x67")),
	}
}
