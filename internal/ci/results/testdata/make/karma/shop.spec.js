describe("basket", () => {
  it("passes", () => {
    expect(1 + 1).toBe(2);
  });

  it("fails", () => {
    console.log("opened the basket");
    expect({ lamps: 2 }).toEqual({ lamps: 3 });
    expect("total").toBe("sum");
  });

  it("throws", () => {
    throw new TypeError("Cannot read properties of undefined (reading 'price')");
  });

  xit("is skipped", () => {});
});
