# generated/slipway_version.h: version and commit. Only core/base/version.cpp includes it; it is looked at in every build and
# rewritten only when its text changes, so that a commit recompiles one file.
#   as a module: adds the target slipway_version      as a script: cmake -D SOURCE= -D FILE= -D VERSION= -P SlipwayVersion.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND git --no-optional-locks describe --always --dirty --abbrev=12 --exclude * WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    set(commit "")
  endif()
  set(text "#pragma once\n#define SLIPWAY_VERSION \"${VERSION}\"\n#define SLIPWAY_COMMIT \"${commit}\"\n")
  set(old "")
  if(EXISTS ${FILE})
    file(READ ${FILE} old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE ${FILE} "${text}")
  endif()
  return()
endif()

add_custom_target(slipway_version BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/slipway_version.h
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D FILE=${PROJECT_BINARY_DIR}/generated/slipway_version.h
    -D VERSION=${PROJECT_VERSION} -P ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Looking at version and commit" VERBATIM)
