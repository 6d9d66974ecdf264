// pastedFiles returns the files that a paste adds, and leaves its text to the field that takes it. A picture beside a text is only how a
// spreadsheet or a word processor shows that text, and is not added. The text that a file manager adds to files names them, and is not
// pasted.
export function pastedFiles(event) {
  const files = [...event.clipboardData?.files ?? []];
  const text = event.clipboardData?.getData("text/plain").trim();
  const takesText = event.target.closest?.("textarea, input:not([type=file], [type=checkbox], [type=radio])");
  if (text && takesText && !names(text, files)) return files.filter((file) => !file.type.startsWith("image/"));
  if (files.length) event.preventDefault();
  return files;
}

// names says whether each line is the name, the path or the address of one of the files.
function names(text, files) {
  const known = files.map(({ name }) => name.normalize());
  return text.split(/[\r\n]+/).every((line) => known.includes(lastOf(line.trim()).normalize()));
}

function lastOf(path) {
  const last = path.split(/[/\\]/).at(-1);
  if (!path.startsWith("file:")) return last;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
