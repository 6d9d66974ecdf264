#[cfg(test)]
mod tests {
    #[test]
    fn passes() {
        assert_eq!(1 + 1, 2);
    }

    #[test]
    fn fails() {
        println!("opened the basket");
        assert_eq!("2 lamps", "3 lamps", "the basket is wrong");
    }

    #[test]
    fn panics() {
        let prices: Vec<i32> = Vec::new();
        let _ = prices[7];
    }

    #[test]
    #[ignore = "needs a printer"]
    fn skipped() {}
}
