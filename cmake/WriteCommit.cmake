# Writes the header OUTPUT, which names the commit that lies checked out in SOURCE: "d63afdc1b2c3", with
# "-dirty" where files differ from it; "" where SOURCE is no clone. Leaves a header that says so already.
cmake_minimum_required(VERSION 3.20)
find_package(Git QUIET)
set(COMMIT "")
if(GIT_EXECUTABLE AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=12 --match=
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define GRADTIDY_COMMIT \"@COMMIT@\"\n" @ONLY)
