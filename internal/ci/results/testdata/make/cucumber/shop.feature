Feature: basket

  Scenario: passes
    Given a basket with 2 lamps
    Then it has 2 lamps

  Scenario: fails
    Given a basket with 2 lamps
    Then it has 3 lamps

  Scenario: is not defined
    Given a basket with no step

  Scenario: is flaky
    Given a shop that answers at the second time
