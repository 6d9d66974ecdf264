// What the browser says about itself and the page.

export function environment(release: string | undefined): Record<string, string | number | undefined> {
  return { userAgent: navigator.userAgent, viewport: `${innerWidth}x${innerHeight}`, screen: `${screen.width}x${screen.height}`,
    devicePixelRatio, locale: navigator.language, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, release };
}
