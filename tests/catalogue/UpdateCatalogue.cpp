// update-catalogue ROOT: writes the tables that derive from the catalogue of checks anew
// (script/update-catalogue builds and runs it).
#include "Completeness.h"

#include <exception>
#include <iostream>

int main(int count, char **arguments) {
  if (count != 2) {
    std::cerr << "usage: update-catalogue ROOT\n";
    return 2;
  }
  try {
    gradtidy::test::updateTables(arguments[1]);
  } catch (const std::exception &failure) {
    std::cerr << "update-catalogue: " << failure.what() << "\n";
    return 1;
  }
  return 0;
}
