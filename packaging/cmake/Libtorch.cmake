# libtorch 2.11 as two imported targets, found without the wheel's own TorchConfig.cmake (it insists on a CUDA toolkit even for
# a CPU build). Sets SLIPWAY_TORCH_FOUND, SLIPWAY_TORCH_ROOT, SLIPWAY_GLOO, SLIPWAY_TORCH_CUDA_LINKS and SLIPWAY_TORCH_CUDA_LOADS.
#   slipway::torch       libtorch_cpu and libc10; the Gloo definitions where Debian's libgloo-dev gives the headers
#   slipway::torch_cuda  slipway::torch and libtorch_cuda, libc10_cuda, the CUDA toolkit and NCCL
include_guard(GLOBAL)

set(SLIPWAY_TORCH_DIR "" CACHE PATH "Folder of libtorch 2.11 (the one that holds include/ and lib/)")
file(STRINGS ${PROJECT_SOURCE_DIR}/packaging/setup/wheels.txt slipway_wheel REGEX "^torch==")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" SLIPWAY_TORCH_WHEEL "${slipway_wheel}")  # 2.11.0
string(REGEX REPLACE "\\.[0-9]+$" "" SLIPWAY_TORCH_VERSION ${SLIPWAY_TORCH_WHEEL})
set(slipway_cache "$ENV{XDG_CACHE_HOME}")
if("${slipway_cache}" STREQUAL "")
  set(slipway_cache "$ENV{HOME}/.cache")
endif()
string(APPEND slipway_cache "/slipway/torch-${SLIPWAY_TORCH_WHEEL}")

# In `root`: the folder with include/ and lib/ when `folder` is it, lies in it (share/cmake/Torch) or holds it (torch/).
function(slipway_torch_root folder root)
  set(${root} "" PARENT_SCOPE)
  foreach(tail "" "/torch" "/.." "/../.." "/../../..")
    if(EXISTS "${folder}${tail}/lib/libtorch_cpu.so" AND EXISTS "${folder}${tail}/include/torch/headeronly/version.h")
      cmake_path(SET found NORMALIZE "${folder}${tail}")
      string(REGEX REPLACE "/$" "" found "${found}")
      set(${root} "${found}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(slipway_torch_version root version)
  file(STRINGS "${root}/include/torch/headeronly/version.h" lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]*([0-9]+)[^0-9;]*" "\\1" numbers "${lines}")
  string(REPLACE ";" "." numbers "${numbers}")
  set(${version} "${numbers}" PARENT_SCOPE)
endfunction()

# A folder that the user named must be right; one that merely lies around is passed over when its version is another.
macro(slipway_try_torch folder origin required)
  if(NOT SLIPWAY_TORCH_FOUND AND NOT "${folder}" STREQUAL "")
    slipway_torch_root("${folder}" SLIPWAY_TORCH_ROOT)
    if(SLIPWAY_TORCH_ROOT)
      slipway_torch_version("${SLIPWAY_TORCH_ROOT}" slipway_found_version)
      if("${slipway_found_version}" MATCHES "^2\\.11\\.")
        set(SLIPWAY_TORCH_FOUND TRUE)
        message(STATUS "libtorch ${slipway_found_version} from ${origin}: ${SLIPWAY_TORCH_ROOT}")
      elseif(${required})
        message(FATAL_ERROR "${origin} points to libtorch ${slipway_found_version} in ${SLIPWAY_TORCH_ROOT}; Slipway needs "
          "${SLIPWAY_TORCH_VERSION}. Point it to a ${SLIPWAY_TORCH_VERSION}, or unset it and run ./run, which fetches one.")
      else()
        message(STATUS "libtorch ${slipway_found_version} from ${origin} passed over: Slipway needs ${SLIPWAY_TORCH_VERSION}")
      endif()
    elseif("${origin}" STREQUAL "SLIPWAY_TORCH_DIR")
      message(FATAL_ERROR "SLIPWAY_TORCH_DIR is ${folder}, but lib/libtorch_cpu.so is not in it.")
    endif()
  endif()
endmacro()

set(SLIPWAY_TORCH_FOUND FALSE)
slipway_try_torch("${SLIPWAY_TORCH_DIR}" SLIPWAY_TORCH_DIR TRUE)
if("${Torch_DIR}" STREQUAL "")
  set(slipway_torch_dir_hint "$ENV{Torch_DIR}")
else()
  set(slipway_torch_dir_hint "${Torch_DIR}")
endif()
slipway_try_torch("${slipway_torch_dir_hint}" Torch_DIR TRUE)
string(REPLACE ":" ";" slipway_prefixes "$ENV{CMAKE_PREFIX_PATH}")
foreach(prefix IN LISTS CMAKE_PREFIX_PATH slipway_prefixes)
  slipway_try_torch("${prefix}" CMAKE_PREFIX_PATH TRUE)
endforeach()
if(NOT SLIPWAY_TORCH_FOUND)
  # find_spec looks without importing: nothing of the wheel is run.
  set(slipway_find_spec "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')")
  execute_process(COMMAND python3 -c "${slipway_find_spec}" OUTPUT_VARIABLE slipway_python_torch
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE slipway_python_result)
  if(slipway_python_result EQUAL 0)
    slipway_try_torch("${slipway_python_torch}" "python3's torch" FALSE)
  endif()
  slipway_try_torch("${slipway_cache}/torch" "the cache of ./run" FALSE)
endif()
# Tells ./run what to fetch, and when the folder has gone.
file(WRITE ${PROJECT_BINARY_DIR}/libtorch_root.txt "${SLIPWAY_TORCH_ROOT}\n")
if(NOT SLIPWAY_TORCH_FOUND)
  file(WRITE ${PROJECT_BINARY_DIR}/libtorch_needs.txt "torch\n")
  return()
endif()
file(WRITE ${PROJECT_BINARY_DIR}/libtorch_needs.txt "")

# libtorch_cpu loads libcudart and libcupti even on a machine without a GPU. They come from a CUDA 13 toolkit or from the
# nvidia-* wheels beside torch; each folder that has a part is put into the run path of what links libtorch.
set(slipway_nvidia "${SLIPWAY_TORCH_ROOT}/../nvidia")
set(slipway_cuda_folders "${slipway_nvidia}/cu13/lib" "${slipway_nvidia}/cudnn/lib" "${slipway_nvidia}/nccl/lib"
  "${slipway_nvidia}/cusparselt/lib" "${slipway_nvidia}/nvshmem/lib" "${slipway_cache}/nvidia/cu13/lib")
foreach(toolkit "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda-13.0 /usr/local/cuda-13 /usr/local/cuda)
  if(toolkit)
    list(APPEND slipway_cuda_folders "${toolkit}/lib64" "${toolkit}/lib" "${toolkit}/extras/CUPTI/lib64")
  endif()
endforeach()

# In `file`: the library called `name`, or nothing. Its folder is added to the run path.
function(slipway_find_shared name file)
  find_library(slipway_path_of_${name} NAMES ${name} HINTS ${slipway_cuda_folders})
  mark_as_advanced(slipway_path_of_${name})
  set(${file} "" PARENT_SCOPE)
  if(slipway_path_of_${name})
    set(${file} "${slipway_path_of_${name}}" PARENT_SCOPE)
    get_filename_component(folder "${slipway_path_of_${name}}" DIRECTORY)
    set_property(GLOBAL APPEND PROPERTY SLIPWAY_TORCH_RPATH "${folder}")
  endif()
endfunction()

set(slipway_missing_cpu "")
foreach(name libcudart.so.13 libcupti.so.13)
  slipway_find_shared(${name} found)
  if(NOT found)
    list(APPEND slipway_missing_cpu ${name})
  endif()
endforeach()
if(slipway_missing_cpu)
  list(JOIN slipway_missing_cpu " and " slipway_missing_cpu)
  message(STATUS "libtorch cannot be loaded without ${slipway_missing_cpu}: install a CUDA 13 toolkit, or run ./run, which "
    "fetches the wheels nvidia-cuda-runtime 13.0.96 and nvidia-cuda-cupti 13.0.85.")
  file(WRITE ${PROJECT_BINARY_DIR}/libtorch_needs.txt "cuda_runtime\n")
  set(SLIPWAY_TORCH_FOUND FALSE)
  return()
endif()
get_property(slipway_torch_rpath GLOBAL PROPERTY SLIPWAY_TORCH_RPATH)
list(REMOVE_DUPLICATES slipway_torch_rpath)

function(slipway_imported name file)
  add_library(${name} SHARED IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${file}")
endfunction()
slipway_imported(slipway_torch_cpu "${SLIPWAY_TORCH_ROOT}/lib/libtorch_cpu.so")
slipway_imported(slipway_c10 "${SLIPWAY_TORCH_ROOT}/lib/libc10.so")

# The run path is an old-style one (DT_RPATH): it must also serve the libraries that libtorch_cpu itself loads.
add_library(slipway_torch_target INTERFACE)
add_library(slipway::torch ALIAS slipway_torch_target)
target_include_directories(slipway_torch_target SYSTEM INTERFACE
  "${SLIPWAY_TORCH_ROOT}/include" "${SLIPWAY_TORCH_ROOT}/include/torch/csrc/api/include")
target_compile_definitions(slipway_torch_target INTERFACE FMT_HEADER_ONLY USE_DISTRIBUTED)
target_link_libraries(slipway_torch_target INTERFACE slipway_torch_cpu slipway_c10)
list(TRANSFORM slipway_torch_rpath PREPEND "LINKER:-rpath," OUTPUT_VARIABLE slipway_rpath_options)
target_link_options(slipway_torch_target INTERFACE LINKER:--disable-new-dtags ${slipway_rpath_options})

# The wheel has Gloo inside libtorch_cpu but not its headers.
find_path(SLIPWAY_GLOO_INCLUDE_DIR gloo/transport/tcp/device.h)
mark_as_advanced(SLIPWAY_GLOO_INCLUDE_DIR)
set(SLIPWAY_GLOO OFF)
if(SLIPWAY_GLOO_INCLUDE_DIR)
  set(SLIPWAY_GLOO ON)
  target_include_directories(slipway_torch_target SYSTEM INTERFACE "${SLIPWAY_GLOO_INCLUDE_DIR}")
  target_compile_definitions(slipway_torch_target INTERFACE USE_C10D_GLOO)
endif()

# Linking against libtorch_cuda needs the toolkit and NCCL; loading it needs three more libraries, which a machine without a
# GPU seldom has.
set(SLIPWAY_TORCH_CUDA_LINKS FALSE)
set(SLIPWAY_TORCH_CUDA_LOADS FALSE)
find_path(SLIPWAY_CUDA_INCLUDE_DIR cuda_runtime_api.h
  HINTS /usr/local/cuda-13.0/include /usr/local/cuda/include ENV CUDA_HOME ENV CUDA_PATH "${slipway_nvidia}/cu13/include"
  PATH_SUFFIXES include)
find_path(SLIPWAY_NCCL_INCLUDE_DIR nccl.h HINTS "${SLIPWAY_CUDA_INCLUDE_DIR}" "${slipway_nvidia}/nccl/include")
mark_as_advanced(SLIPWAY_CUDA_INCLUDE_DIR SLIPWAY_NCCL_INCLUDE_DIR)
slipway_find_shared(libnccl.so.2 slipway_nccl)
if(NOT SLIPWAY_CUDA_INCLUDE_DIR OR NOT SLIPWAY_NCCL_INCLUDE_DIR OR NOT slipway_nccl
   OR NOT EXISTS "${SLIPWAY_TORCH_ROOT}/lib/libtorch_cuda.so")
  return()
endif()
# The headers of libtorch_cuda include those of three libraries, which a machine with little more than the compiler has in the wheels alone.
set(slipway_cuda_includes "${SLIPWAY_CUDA_INCLUDE_DIR}" "${SLIPWAY_NCCL_INCLUDE_DIR}")
foreach(header cublas_v2.h cusolverDn.h cusparse.h)
  string(MAKE_C_IDENTIFIER "SLIPWAY_DIR_OF_${header}" variable)
  find_path(${variable} ${header} HINTS "${SLIPWAY_CUDA_INCLUDE_DIR}" "${slipway_nvidia}/cu13/include")
  mark_as_advanced(${variable})
  if(NOT ${variable})
    message(STATUS "No CUDA: ${header} lies neither beside cuda_runtime_api.h nor in the wheels beside libtorch")
    return()
  endif()
  list(APPEND slipway_cuda_includes "${${variable}}")
endforeach()
list(REMOVE_DUPLICATES slipway_cuda_includes)
set(SLIPWAY_TORCH_CUDA_LINKS TRUE)
set(SLIPWAY_TORCH_CUDA_LOADS TRUE)
foreach(name libcublas.so.13 libcudnn.so.9 libcusparseLt.so.0 libnvshmem_host.so.3 libcufile.so.0)
  slipway_find_shared(${name} found)
  if(NOT found)
    set(SLIPWAY_TORCH_CUDA_LOADS FALSE)
  endif()
endforeach()
get_property(slipway_torch_rpath GLOBAL PROPERTY SLIPWAY_TORCH_RPATH)
list(REMOVE_DUPLICATES slipway_torch_rpath)
list(TRANSFORM slipway_torch_rpath PREPEND "LINKER:-rpath," OUTPUT_VARIABLE slipway_rpath_options)
slipway_imported(slipway_nccl_library "${slipway_nccl}")
slipway_imported(slipway_cudart_library "${slipway_path_of_libcudart.so.13}")
add_library(slipway_torch_cuda_target INTERFACE)
add_library(slipway::torch_cuda ALIAS slipway_torch_cuda_target)
target_include_directories(slipway_torch_cuda_target SYSTEM INTERFACE ${slipway_cuda_includes})
target_compile_definitions(slipway_torch_cuda_target INTERFACE USE_C10D_NCCL USE_CUDA)
# --no-as-needed: nothing refers to libtorch_cuda by name, it registers itself when it is loaded.
# --allow-shlib-undefined: what libtorch_cuda itself loads need not be there to link.
target_link_options(slipway_torch_cuda_target INTERFACE LINKER:--allow-shlib-undefined ${slipway_rpath_options})
target_link_libraries(slipway_torch_cuda_target INTERFACE slipway_torch_target
  "-Wl,--no-as-needed,${SLIPWAY_TORCH_ROOT}/lib/libtorch_cuda.so,${SLIPWAY_TORCH_ROOT}/lib/libc10_cuda.so,--as-needed"
  slipway_nccl_library slipway_cudart_library)
