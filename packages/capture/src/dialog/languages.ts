// The texts of the dialog in ten languages. {n} is a number, {reference} that of the report.

const en = {
  title: "Report a problem", summary: "What is wrong?", description: "What did you do, and what did you expect?",
  email: "Your e-mail address",
  optional: "optional", picture: "Picture", ofPage: "Picture of the page", ofScreen: "Picture of the screen", ofFile: "Add a file",
  remove: "Remove", undo: "Undo", arrow: "Arrow", box: "Box", text: "Text", hide: "Hide", words: "Text in the picture",
  drawing: "Drag to draw. With the keyboard: Enter adds a shape, arrow keys move it, Shift resizes it.",
  sent: "What is sent", replay: "Replay of the page", console: "Messages of the console", network: "Requests", actions: "Your actions",
  environment: "Browser and screen", send: "Send", cancel: "Cancel", close: "Close", sending: "Sending …",
  waiting: "Waiting for the network. The report is kept and sent later, also when you close this.",
  there: "Your report has arrived: {reference}", refused: "The report was refused: {reason}", noPicture: "No picture could be made.",
  masked: "This page has hidden parts. Please share this tab.", needed: "Please say what is wrong.",
  follow: "See here what becomes of it, and answer the team. Keep the address: nobody can tell it to you again.",
  copy: "Copy the address", copied: "Copied",
};

export type Words = typeof en;

// A row of another language has the texts in the order of those in English.
const rows: Record<string, string> = {
  de: "Problem melden|Was stimmt nicht?|Was haben Sie getan, und was haben Sie erwartet?|Ihre E-Mail-Adresse|freiwillig|Bild|" +
    "Bild der Seite|Bild des Bildschirms|Datei hinzufügen|Entfernen|Rückgängig|Pfeil|Rahmen|Text|Verdecken|Text im Bild|" +
    "Ziehen Sie, um zu zeichnen. Mit der Tastatur: Eingabe fügt eine Form hinzu, Pfeiltasten bewegen sie, Umschalt ändert die Größe.|" +
    "Was gesendet wird|Wiedergabe der Seite|Meldungen der Konsole|Anfragen|Ihre Schritte|Browser und Bildschirm|Senden|" +
    "Abbrechen|Schließen|Wird gesendet …|" +
    "Wartet auf das Netz. Der Bericht wird aufbewahrt und später gesendet, auch wenn Sie dies schließen.|" +
    "Ihr Bericht ist angekommen: {reference}|Der Bericht wurde abgelehnt: {reason}|Es konnte kein Bild gemacht werden.|" +
    "Diese Seite hat verdeckte Teile. Bitte teilen Sie diesen Tab.|Bitte sagen Sie, was nicht stimmt.|" +
    "Sehen Sie hier, was daraus wird, und antworten Sie dem Team. " +
    "Bewahren Sie die Adresse auf: Niemand kann sie Ihnen noch einmal nennen.|" +
    "Adresse kopieren|Kopiert",
  fr: "Signaler un problème|Quel est le problème ?|Qu’avez-vous fait, et qu’attendiez-vous ?|Votre adresse e-mail|facultatif|" +
    "Image|Image de la page|Image de l’écran|Ajouter un fichier|Retirer|Annuler le trait|Flèche|Cadre|Texte|Masquer|" +
    "Texte dans l’image|" +
    "Faites glisser pour dessiner. Au clavier : Entrée ajoute une forme, les flèches la déplacent, Maj la redimensionne.|" +
    "Ce qui est envoyé|Relecture de la page|Messages de la console|Requêtes|Vos actions|Navigateur et écran|Envoyer|" +
    "Annuler|Fermer|Envoi …|En attente du réseau. Le rapport est conservé et envoyé plus tard, même si vous fermez ceci.|" +
    "Votre rapport est arrivé : {reference}|Le rapport a été refusé : {reason}|Aucune image n’a pu être faite.|" +
    "Cette page a des parties masquées. Veuillez partager cet onglet.|Veuillez dire quel est le problème.|" +
    "Suivez-le ici et répondez à l’équipe. Conservez l’adresse : personne ne pourra vous la redonner.|" +
    "Copier l’adresse|Copié",
  es: "Informar de un problema|¿Qué va mal?|¿Qué hizo y qué esperaba?|Su correo electrónico|opcional|Imagen|" +
    "Imagen de la página|Imagen de la pantalla|Añadir un archivo|Quitar|Deshacer|Flecha|Recuadro|Texto|Ocultar|" +
    "Texto en la imagen|" +
    "Arrastre para dibujar. Con el teclado: Intro añade una forma, las flechas la mueven, Mayús cambia su tamaño.|" +
    "Lo que se envía|Reproducción de la página|Mensajes de la consola|Peticiones|Sus acciones|Navegador y pantalla|Enviar|" +
    "Cancelar|Cerrar|Enviando …|Esperando la red. El informe se guarda y se envía más tarde, aunque cierre esto.|" +
    "Su informe ha llegado: {reference}|El informe fue rechazado: {reason}|No se pudo hacer una imagen.|" +
    "Esta página tiene partes ocultas. Comparta esta pestaña.|Diga qué va mal.|" +
    "Vea aquí qué ocurre con él y responda al equipo. Guarde la dirección: nadie podrá volver a decírsela.|" +
    "Copiar la dirección|Copiado",
  pt: "Relatar um problema|O que está errado?|O que fez e o que esperava?|O seu e-mail|opcional|Imagem|Imagem da página|" +
    "Imagem do ecrã|Adicionar um ficheiro|Remover|Desfazer|Seta|Caixa|Texto|Ocultar|Texto na imagem|" +
    "Arraste para desenhar. Com o teclado: Enter adiciona uma forma, as setas movem-na, Shift muda o tamanho.|" +
    "O que é enviado|Reprodução da página|Mensagens da consola|Pedidos|As suas ações|Navegador e ecrã|Enviar|Cancelar|" +
    "Fechar|A enviar …|À espera da rede. O relatório fica guardado e é enviado mais tarde, mesmo que feche isto.|" +
    "O seu relatório chegou: {reference}|O relatório foi recusado: {reason}|Não foi possível fazer uma imagem.|" +
    "Esta página tem partes ocultas. Partilhe este separador.|Diga o que está errado.|" +
    "Veja aqui o que lhe acontece e responda à equipa. Guarde o endereço: ninguém o pode repetir.|" +
    "Copiar o endereço|Copiado",
  it: "Segnala un problema|Che cosa non va?|Che cosa ha fatto e che cosa si aspettava?|Il suo indirizzo e-mail|facoltativo|" +
    "Immagine|Immagine della pagina|Immagine dello schermo|Aggiungi un file|Rimuovi|Annulla tratto|Freccia|Riquadro|Testo|" +
    "Nascondi|Testo nell’immagine|" +
    "Trascini per disegnare. Con la tastiera: Invio aggiunge una forma, le frecce la spostano, Maiusc ne cambia la dimensione.|" +
    "Che cosa viene inviato|Riproduzione della pagina|Messaggi della console|Richieste|Le sue azioni|Browser e schermo|" +
    "Invia|Annulla|Chiudi|Invio in corso …|" +
    "In attesa della rete. La segnalazione è conservata e inviata più tardi, anche se chiude.|" +
    "La segnalazione è arrivata: {reference}|La segnalazione è stata rifiutata: {reason}|" +
    "Non è stato possibile fare un’immagine.|Questa pagina ha parti nascoste. Condivida questa scheda.|" +
    "Dica che cosa non va.|" +
    "Veda qui che cosa ne è e risponda al team. Conservi l’indirizzo: nessuno potrà ridarglielo.|" +
    "Copia l’indirizzo|Copiato",
  pl: "Zgłoś problem|Co jest nie tak?|Co zostało zrobione i czego należało oczekiwać?|Adres e-mail|opcjonalnie|Obraz|" +
    "Obraz strony|Obraz ekranu|Dodaj plik|Usuń|Cofnij|Strzałka|Ramka|Tekst|Ukryj|Tekst na obrazie|" +
    "Przeciągnij, aby rysować. Klawiaturą: Enter dodaje kształt, strzałki go przesuwają, Shift zmienia rozmiar.|" +
    "Co zostanie wysłane|Odtworzenie strony|Komunikaty konsoli|Żądania|Twoje działania|Przeglądarka i ekran|Wyślij|Anuluj|" +
    "Zamknij|Wysyłanie …|" +
    "Oczekiwanie na sieć. Zgłoszenie jest przechowywane i zostanie wysłane później, także po zamknięciu.|" +
    "Zgłoszenie dotarło: {reference}|Zgłoszenie odrzucono: {reason}|Nie udało się zrobić obrazu.|" +
    "Ta strona ma ukryte części. Udostępnij tę kartę.|Napisz, co jest nie tak.|" +
    "Tu widać, co się z nim dzieje, i tu można odpowiedzieć zespołowi. Zachowaj adres: nikt nie poda go ponownie.|" +
    "Kopiuj adres|Skopiowano",
  ja: "問題を報告|何が問題ですか?|何をして、何を期待しましたか?|メールアドレス|任意|画像|ページの画像|画面の画像|ファイルを追加|削除|元に戻す|矢印|枠|文字|隠す|画像の文字|" +
    "ドラッグして描きます。キーボード: Enter で図形を追加、矢印キーで移動、Shift で大きさを変更。|送信する内容|ページの再生|コンソールのメッセージ|リクエスト|操作|ブラウザと画面|送信|キャンセル|閉じる|送信中…|" +
    "ネットワークを待っています。報告は保存され、閉じても後で送信されます。|報告が届きました: {reference}|報告は拒否されました: {reason}|画像を作成できませんでした。|" +
    "このページには隠された部分があります。このタブを共有してください。|何が問題かを書いてください。|" +
    "ここで経過を確認し、チームに返信できます。アドレスを保存してください。再発行はできません。|" +
    "アドレスをコピー|コピーしました",
  zh: "报告问题|出了什么问题?|您做了什么,期望什么?|您的电子邮箱|可选|图片|页面图片|屏幕图片|添加文件|移除|撤销|箭头|方框|文字|遮盖|图片中的文字|拖动以绘制。键盘:Enter 添加图形,方向键移动,Shift 调整大小。|" +
    "将发送的内容|页面回放|控制台消息|请求|您的操作|浏览器和屏幕|发送|取消|关闭|正在发送…|正在等待网络。报告已保存,即使关闭也会稍后发送。|您的报告已送达:{reference}|报告被拒绝:{reason}|无法生成图片。|" +
    "此页面有隐藏部分。请共享此标签页。|请说明出了什么问题。|" +
    "在此查看进展并回复团队。请保存此地址:无人能再次告知您。|" +
    "复制地址|已复制",
  ar: "الإبلاغ عن مشكلة|ما المشكلة؟|ماذا فعلت، وماذا كنت تتوقع؟|بريدك الإلكتروني|اختياري|صورة|صورة الصفحة|صورة الشاشة|" +
    "إضافة ملف|إزالة|تراجع|سهم|إطار|نص|إخفاء|نص في الصورة|" +
    "اسحب للرسم. بلوحة المفاتيح: Enter يضيف شكلاً، والأسهم تحركه، وShift يغير حجمه.|ما سيُرسل|إعادة عرض الصفحة|" +
    "رسائل وحدة التحكم|الطلبات|أفعالك|المتصفح والشاشة|إرسال|إلغاء|إغلاق|جارٍ الإرسال…|" +
    "في انتظار الشبكة. يُحفظ البلاغ ويُرسل لاحقاً، حتى إن أغلقت هذه النافذة.|وصل بلاغك: {reference}|رُفض البلاغ: {reason}|" +
    "تعذر إنشاء صورة.|في هذه الصفحة أجزاء مخفية. يرجى مشاركة علامة التبويب هذه.|يرجى ذكر المشكلة.|" +
    "تابع بلاغك هنا وأجب الفريق. احتفظ بالعنوان: لا يمكن لأحد أن يعطيك إياه مرة أخرى.|" +
    "نسخ العنوان|نُسخ",
};

export const languages = ["en", ...Object.keys(rows)];

// wordsOf returns the texts in the first language that the dialog has, and their direction.
export function wordsOf(wanted: readonly string[]): { words: Words; language: string; direction: "ltr" | "rtl" } {
  const language = wanted.map((tag) => tag.toLowerCase().split("-")[0]!).find((tag) => languages.includes(tag)) ?? "en";
  const texts = rows[language]?.split("|") ?? Object.values(en);
  const words = Object.fromEntries(Object.keys(en).map((name, n) => [name, texts[n]])) as Words;
  return { words, language, direction: language === "ar" ? "rtl" : "ltr" };
}
