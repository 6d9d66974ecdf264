// A button with data-markdown, or its key, writes Markdown around what is selected in the text field of its editor.
const wraps = { bold: ["**", "**"], italic: ["_", "_"], code: ["`", "`"], link: ["[", "](https://)"] };
const lines = { list: "- ", quote: "> " };
const keys = { b: "bold", i: "italic", e: "code", k: "link" };

// insert replaces a range of the text such that the browser can undo it.
function insert(field, from, to, text) {
  field.focus();
  field.setSelectionRange(from, to);
  if (!document.execCommand("insertText", false, text)) field.setRangeText(text, from, to, "end");
}

function write(field, name) {
  const { selectionStart: from, selectionEnd: to, value } = field;
  const text = value.slice(from, to);
  if (lines[name]) {
    const start = value.lastIndexOf("\n", from - 1) + 1;
    insert(field, start, to, value.slice(start, to).split("\n").map((l) => lines[name] + l).join("\n"));
    return;
  }
  let [before, after] = wraps[name];
  if (name === "code" && text.includes("\n")) [before, after] = ["```\n", "\n```"];
  insert(field, from, to, before + text + after);
  const start = from + before.length;
  if (name === "link" && text) field.setSelectionRange(start + text.length + 2, start + text.length + after.length - 1);
  else field.setSelectionRange(start, start + text.length);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-markdown]");
  if (button) write(button.closest("[data-editor]").querySelector("textarea"), button.dataset.markdown);
});

// A button with data-quote quotes the selected text of its comment, or the whole comment, at the end of the new comment.
document.addEventListener("mousedown", (event) => {
  if (event.target.closest?.("[data-quote]")) event.preventDefault(); // keeps the selection
});
document.addEventListener("click", ({ target }) => {
  const prose = target.closest?.("[data-quote]")?.closest(".comment").querySelector(".prose");
  if (!prose) return;
  const selection = getSelection();
  const part = !selection.isCollapsed && prose.contains(selection.anchorNode) && prose.contains(selection.focusNode);
  const text = (part ? selection.toString() : prose.innerText).trim();
  const field = document.getElementById("comment"), end = field.value.length;
  const quoted = text.split("\n").map((l) => lines.quote + l).join("\n");
  insert(field, end, end, `${field.value.trimEnd() ? "\n\n" : ""}${quoted}\n\n`);
  field.scrollIntoView({ block: "nearest" });
});

document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.isComposing) return;
  if (event.key === "Enter" && field.matches?.("[data-editor] textarea")) {
    event.preventDefault();
    field.form.requestSubmit();
  } else if (keys[event.key] && field.matches?.("[data-editor] textarea")) {
    event.preventDefault();
    write(field, keys[event.key]);
  }
});
