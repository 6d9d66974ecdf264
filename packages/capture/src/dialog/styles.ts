// The style of the dialog, as a constructed sheet: every policy allows it. A site changes the colours by its own variables
// --bugslice-background, -text, -accent and -radius on the root of its page.
export const sheet = `
:host { all: initial; --paper: var(--bugslice-background, light-dark(#fff, #18181b));
  --ink: var(--bugslice-text, light-dark(#18181b, #fafafa));
  --accent: var(--bugslice-accent, light-dark(#1d4ed8, #93c5fd)); --radius: var(--bugslice-radius, 8px); color-scheme: light dark; }
* { box-sizing: border-box; }
dialog { position: fixed; inset: 0; margin: auto; width: min(36rem, calc(100vw - 1.5rem));
  max-height: calc(100dvh - 1.5rem); overflow: auto; padding: 1.25rem;
  border: 1px solid color-mix(in srgb, var(--ink) 25%, transparent);
  border-radius: var(--radius); background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; }
dialog::backdrop { background: rgb(0 0 0 / 45%); }
a.address { color: inherit; overflow-wrap: anywhere; }
h2 { margin: 0 0 .75rem; font-size: 1.2rem; }
form { display: grid; gap: .75rem; }
label.field { display: grid; gap: .25rem; }
.optional { opacity: .75; font-size: .9em; }
input:not([type=checkbox], [type=radio]), textarea { width: 100%;
  padding: .45rem .6rem; border: 1px solid color-mix(in srgb, var(--ink) 55%, transparent);
  border-radius: calc(var(--radius) / 2); background: transparent; color: inherit; font: inherit; }
textarea { min-height: 4.5rem; resize: vertical; }
fieldset { margin: 0; padding: .5rem .75rem .75rem;
  border: 1px solid color-mix(in srgb, var(--ink) 25%, transparent); border-radius: calc(var(--radius) / 2); }
.row { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; }
.row + .row, canvas { margin-top: .5rem; }
canvas { display: block; max-width: 100%; max-height: 45dvh; border: 1px solid color-mix(in srgb, var(--ink) 40%, transparent);
  cursor: crosshair; touch-action: none; }
button { padding: .45rem .8rem; border: 1px solid color-mix(in srgb, var(--ink) 45%, transparent); border-radius: calc(var(--radius) / 2);
  background: transparent; color: inherit; font: inherit; cursor: pointer; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--paper); font-weight: 600; }
button:disabled { opacity: .55; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.end { justify-content: flex-end; }
.parts { display: grid; gap: .3rem; }
.nobody { position: absolute; inset-inline-start: -200vw; }
progress { width: 100%; accent-color: var(--accent); }
a { color: var(--accent); }
p { margin: 0; }
[hidden] { display: none !important; }
`;
