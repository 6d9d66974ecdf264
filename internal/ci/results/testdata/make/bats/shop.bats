@test "passes" {
  true
}

@test "fails" {
  echo "opened the basket"
  [ "$(echo 2 lamps)" = "3 lamps" ]
}

@test "is not a command" {
  no-such-command
}

@test "is skipped" {
  skip "needs a printer"
}
