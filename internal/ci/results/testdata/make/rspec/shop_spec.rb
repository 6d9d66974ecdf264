RSpec.describe "basket" do
  it("passes") { expect(1 + 1).to eq(2) }

  it "fails" do
    puts "opened the basket"
    expect(%w[lamp lamp].length).to eq(3)
  end

  it("raises") { raise KeyError, "key not found: #{Object.new}" }

  it("is skipped", skip: "needs a printer") {}

  it("is pending") { pending("the price list"); expect(1).to eq(2) }
end

RSpec.describe "orders" do
  before { raise IOError, "cannot connect to 127.0.0.1:5432" }

  it("lists") {}

  it("adds") {}
end
