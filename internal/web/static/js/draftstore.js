// The drafts that this browser keeps. It may refuse to store anything.
const prefix = "draft ";
export const drafts = {
  /** @param {string} key */
  read(key) { try { return JSON.parse(localStorage.getItem(prefix + key)); } catch { return null; } },
  write(key, value) { try { localStorage.setItem(prefix + key, JSON.stringify(value)); } catch { /* it is not stored */ } },
  remove(key) { try { localStorage.removeItem(prefix + key); } catch { /* there is none */ } },
  keys(owner) {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(prefix + owner)).map((key) => key.slice(prefix.length));
    } catch { return []; }
  },
  clear() {
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
    } catch { /* there is none */ }
  },

  // sent drops the draft of a form that was sent, which may have left the page. What another tab has typed since stays.
  sent(form) {
    if (JSON.stringify(drafts.read(form.dataset.draft)) === JSON.stringify(values(form))) drafts.remove(form.dataset.draft);
    for (const f of fields(form)) f.defaultValue = f.value;
  },
};

/**
 * fields are the fields of a form whose texts are its draft, and values their texts.
 * @param {Found} form
 * @returns {Found[]}
 */
export const fields = (form) => [...form.querySelectorAll("textarea, input[type=text]")].filter((f) => f.name);
export const values = (form) => Object.fromEntries(fields(form).map((f) => [f.name, f.value]));
