document.addEventListener("change",({target:e})=>{e.form?.matches("[data-apply]")&&e.form.requestSubmit()});
