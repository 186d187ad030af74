# A room is one folder = one static library; its links are its allowed arrows.
#   slipway_room(core_metrics SOURCES a.cpp b.cpp LINKS core_spec)
#   slipway_program(slipway-agent SOURCES main.cpp LINKS app_agent)
#   slipway_tests(tst_core_metrics SOURCES tst_a.cpp tst_b.cpp LINKS core_metrics LABEL unit [GUI])
include_guard(GLOBAL)
include(SlipwayBatches)  # slipway_batches()

# GLUE: a room that waits for files, people or other programs. It is optimised less, which saves a quarter of its compile time and a
# minute of the first build. GLUE_SOURCES: the same for some sources of a room.
function(slipway_room name)
  cmake_parse_arguments(ARG "GLUE" "" "SOURCES;GLUE_SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  set(glue $<$<CONFIG:Release>:-O1>)
  slipway_batches(sources ${ARG_SOURCES})
  slipway_batches(glue_sources ${ARG_GLUE_SOURCES})
  set(headers "")
  if(CMAKE_AUTOMOC)
    # moc finds the classes of a source that is in a batch by its header.
    string(REGEX REPLACE "\\.cpp(;|$)" ".h\\1" headers "${ARG_SOURCES};${ARG_GLUE_SOURCES}")
    list(TRANSFORM headers PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    foreach(header IN LISTS headers)
      if(NOT EXISTS ${header})
        list(REMOVE_ITEM headers ${header})
      endif()
    endforeach()
  endif()
  add_library(${name} STATIC ${sources} ${glue_sources} ${headers})
  if(ARG_GLUE)
    target_compile_options(${name} PRIVATE ${glue})
  endif()
  set_property(SOURCE ${glue_sources} APPEND PROPERTY COMPILE_OPTIONS ${glue})
  target_link_libraries(${name} PUBLIC slipway_options ${ARG_LINKS} PRIVATE slipway_warnings ${ARG_PRIVATE_LINKS})
  if(name MATCHES "^trainer_")
    slipway_torch_headers(${name})
  endif()
endfunction()

# Reading libtorch's tensor headers takes 7 of the 9 seconds of a trainer source, so they are precompiled once for all rooms, and once for
# their tests, which Qt wants position-independent.
function(slipway_torch_headers name)
  set(headers slipway_torch_headers)
  set(independent "")
  if(name MATCHES "^tst_trainer_")
    set(headers slipway_torch_test_headers)
    set(independent -fPIC)
  endif()
  if(NOT TARGET ${headers})
    set(empty ${PROJECT_BINARY_DIR}/${headers}.cpp)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(${headers} OBJECT ${empty})
    target_link_libraries(${headers} PRIVATE slipway_options slipway_warnings slipway::torch)
    set(list <ATen/core/Tensor.h> <ATen/TensorOperators.h> <ATen/ops/empty.h> <ATen/ops/zeros.h>
      <functional> <memory> <optional> <string> <vector>)
    target_precompile_headers(${headers} PRIVATE ${list})
    target_compile_options(${headers} PRIVATE -fpch-preprocess ${independent})  # ccache requires it
    # g++ writes other bytes each time, by which ccache would know none of the objects again. With CCACHE_PCH_EXTSUM it compares this
    # file instead; it counts the compiler and its options by itself.
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${headers}.dir/cmake_pch.hxx.gch.sum
      CONTENT "libtorch ${slipway_found_version}: ${list}\n")
  endif()
  target_precompile_headers(${name} REUSE_FROM ${headers})
  target_compile_options(${name} PRIVATE -fpch-preprocess
    # g++ 12's bugs 105329 and 105651 in std::string, which precompiled headers no longer hide.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
endfunction()

# Compiles one .cu into an object whose path goes to VARIABLE. Not by CMake's own CUDA support: Debian 12's does not know C++20 of CUDA 13.
function(slipway_cuda_object variable source)
  get_filename_component(name ${source} NAME_WE)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  set(architectures "")
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    list(APPEND architectures -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  # The last one once more as PTX, which the driver of a younger GPU translates.
  list(GET CMAKE_CUDA_ARCHITECTURES -1 youngest)
  list(APPEND architectures -gencode arch=compute_${youngest},code=compute_${youngest})
  add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM COMMENT "Building CUDA object ${name}.o"
    COMMAND ${SLIPWAY_NVCC} -std=c++20 -O3 ${architectures} -ccbin ${CMAKE_CXX_COMPILER} -Xcompiler=-fPIC -I ${PROJECT_SOURCE_DIR}
            -MD -MF ${object}.d -c ${source} -o ${object})
  set(${variable} ${object} PARENT_SCOPE)
endfunction()

function(slipway_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE slipway_warnings ${ARG_LINKS})
endfunction()

# One test program per room. Every source holds test classes marked SLIPWAY_TEST(Class); each class is one CTest
# test named <program>.<Class>, so that CTest's closing lines say which one failed. A class marked SLIPWAY_TEST_FULL(Class)
# has the label `full` instead: it runs in ./test --full only. No test touches the user's own runs and settings.
function(slipway_tests name)
  cmake_parse_arguments(ARG "GUI" "LABEL;TIMEOUT" "SOURCES;LINKS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_link_libraries(${name} PRIVATE slipway_warnings ${ARG_LINKS} $<IF:$<BOOL:${ARG_GUI}>,test_support_gui,test_support>)
  # Not those without libtorch: ccache takes what was built in another folder for them, but not where headers are precompiled.
  if(name MATCHES "^tst_trainer_")
    slipway_torch_headers(${name})
  endif()
  target_compile_definitions(${name} PRIVATE
    SLIPWAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SLIPWAY_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    SLIPWAY_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  set(home ${CMAKE_CURRENT_BINARY_DIR}/home)
  set(environment XDG_DATA_HOME=${home}/data XDG_CONFIG_HOME=${home}/config XDG_STATE_HOME=${home}/state ${ARG_ENVIRONMENT})
  if(ARG_GUI)
    list(APPEND environment QT_QPA_PLATFORM=offscreen)
  endif()
  foreach(source IN LISTS ARG_SOURCES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} marks REGEX "^SLIPWAY_TEST(_FULL)?\\(")
    foreach(mark IN LISTS marks)
      string(REGEX MATCH "^SLIPWAY_TEST(_FULL)?\\(([A-Za-z0-9_]+)\\)" mark "${mark}")
      set(class ${CMAKE_MATCH_2})
      set(label ${ARG_LABEL})
      set(timeout ${ARG_TIMEOUT})
      if(CMAKE_MATCH_1)
        set(label full)
        set(timeout 2400)
      endif()
      add_test(NAME ${name}.${class} COMMAND ${name} ${class})
      set_tests_properties(${name}.${class} PROPERTIES LABELS ${label} TIMEOUT ${timeout}
        ENVIRONMENT "${environment}" ENVIRONMENT_MODIFICATION SLIPWAY_HOME=unset:)
    endforeach()
  endforeach()
endfunction()
