package media

// gifFormat walks through a GIF. It leaves its pictures, their times, the number of repetitions and the colour
// profile, and removes comments, texts, all other extensions, and what follows the end.
type gifFormat struct {
	started, ended bool
	blocks         fate // of the sub-blocks that follow
	inBlocks       bool
	inLoop         bool // the sub-blocks are those of a repetition
}

// Blocks of a GIF.
const (
	gifExtension, gifImage, gifTrailer = 0x21, 0x2c, 0x3b
	gifControl, gifApplication         = 0xf9, 0xff
)

func (f *gifFormat) step(c *Cleaner) error {
	switch {
	case !f.started:
		f.started = true
		return stepGIFHeader(c)
	case f.inBlocks:
		return f.stepBlock(c)
	}
	if err := c.atEnd(); f.ended {
		if err != nil {
			return err
		}
		return c.next(dropped, toEnd)
	}
	b, err := c.peek(1)
	if err != nil {
		return err
	}
	switch b[0] {
	case 0:
		_, err := c.in.Discard(1) // between blocks
		return err
	case gifTrailer:
		f.ended = true
		return c.next(passed, 1)
	case gifImage:
		f.inBlocks, f.blocks, f.inLoop = true, passed, false
		if b, err = c.peek(10); err != nil {
			return err
		}
		return c.next(passed, 10+gifColours(b[9])+1)
	case gifExtension:
		return f.stepExtension(c)
	}
	return errDamaged
}

func stepGIFHeader(c *Cleaner) error {
	b, err := c.peek(13)
	if err != nil {
		return err
	}
	if s := string(b[:6]); s != "GIF87a" && s != "GIF89a" {
		return errDamaged
	}
	return c.next(passed, 13+gifColours(b[10]))
}

// gifColours returns the size of the table of colours that flags announce.
func gifColours(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func (f *gifFormat) stepExtension(c *Cleaner) error {
	b, err := c.peek(3)
	if err != nil {
		return err
	}
	f.inBlocks, f.blocks, f.inLoop = true, dropped, false
	switch label, size := b[1], int(b[2]); {
	case label == gifControl && size == 4:
		f.inBlocks = false
		if b, err = c.peek(8); err != nil {
			return err
		}
		if b[7] != 0 { // it ends after one sub-block
			return errDamaged
		}
		return c.next(passed, 8)
	case label == gifApplication && size == 11:
		if b, err = c.peek(14); err != nil {
			return err
		}
		switch string(b[3:]) {
		case "NETSCAPE2.0", "ANIMEXTS1.0":
			f.blocks, f.inLoop = passed, true
			return c.next(passed, 14)
		case "ICCRGBG1012":
			f.blocks = passed
			return c.next(passed, 14)
		}
	}
	return c.next(dropped, 2)
}

// stepBlock passes or drops a sub-block.
func (f *gifFormat) stepBlock(c *Cleaner) error {
	b, err := c.peek(1)
	if err != nil {
		return err
	}
	size := int(b[0])
	if size == 0 || !f.inLoop {
		f.inBlocks = size > 0
		c.part = part{left: 1 + int64(size), fate: f.blocks, counted: true} // with the extension
		return nil
	}
	if b, err = c.peek(2); err != nil {
		return err
	}
	if s := string(b); s == "\x03\x01" || s == "\x05\x02" { // the repetitions; the size of a buffer
		return c.next(passed, 1+int64(size))
	}
	return c.next(dropped, 1+int64(size))
}
