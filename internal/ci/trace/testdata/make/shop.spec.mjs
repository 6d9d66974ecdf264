import { expect, test } from '@playwright/test';
import { shop } from './shop.mjs';

test.beforeAll(() => new Promise(done => shop.listen(47811, '127.0.0.1', done)));
test.afterAll(() => shop.close());

test('an order is taken', async ({ page }) => {
  console.log('the test begins');
  await page.goto('http://127.0.0.1:47811/');
  await page.locator('#code').fill('SPRING');
  await page.locator('#pin').fill('tulip-4711');
  await page.locator('#terms').check();
  await page.locator('#size').selectOption('Large');
  await page.locator('#order').click();
  await expect(page.locator('#total')).toHaveText('Order taken', { timeout: 700 });
});
