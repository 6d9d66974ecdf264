<?php

use PHPUnit\Framework\TestCase;

final class ShopTest extends TestCase
{
    public function testPasses(): void
    {
        $this->assertSame(2, 1 + 1);
    }

    public function testFails(): void
    {
        echo "opened the basket";
        $this->assertSame(['lamps' => 3], ['lamps' => 2], 'the basket is wrong');
    }

    public function testThrows(): void
    {
        throw new RuntimeException('cannot connect to 127.0.0.1:' . (40000 + getmypid() % 1000));
    }

    public function testIsSkipped(): void
    {
        $this->markTestSkipped('needs a printer');
    }

    public function testIsRisky(): void
    {
    }

    /** @dataProvider prices */
    public function testPrice(int $price): void
    {
        $this->assertGreaterThan(0, $price);
    }

    public static function prices(): array
    {
        return ['one' => [1], 'negative' => [-1]];
    }
}
