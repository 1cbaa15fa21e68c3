# Finds parts of SuiteSparse, which ships no CMake config before version 6.
#
#   find_package(SuiteSparse REQUIRED COMPONENTS AMD KLU UMFPACK CHOLMOD SPQR)
#
# Each component found becomes the imported target SuiteSparse::COMPONENT.
include(FindPackageHandleStandardArgs)

set(SuiteSparse_known AMD BTF COLAMD KLU CHOLMOD UMFPACK SPQR)
set(SuiteSparse_header_AMD amd.h)
set(SuiteSparse_header_BTF btf.h)
set(SuiteSparse_header_COLAMD colamd.h)
set(SuiteSparse_header_KLU klu.h)
set(SuiteSparse_header_CHOLMOD cholmod.h)
set(SuiteSparse_header_UMFPACK umfpack.h)
set(SuiteSparse_header_SPQR SuiteSparseQR.hpp)
set(SuiteSparse_needs_KLU AMD BTF COLAMD)
set(SuiteSparse_needs_CHOLMOD AMD COLAMD)
set(SuiteSparse_needs_UMFPACK AMD CHOLMOD)
set(SuiteSparse_needs_SPQR CHOLMOD)

find_path(SuiteSparse_INCLUDE_DIR SuiteSparse_config.h PATH_SUFFIXES suitesparse)
find_library(SuiteSparse_config_LIBRARY suitesparseconfig)
mark_as_advanced(SuiteSparse_INCLUDE_DIR SuiteSparse_config_LIBRARY)

foreach(part IN LISTS SuiteSparse_known)
  string(TOLOWER ${part} library)
  find_library(SuiteSparse_${part}_LIBRARY ${library})
  mark_as_advanced(SuiteSparse_${part}_LIBRARY)
  if(SuiteSparse_INCLUDE_DIR AND EXISTS ${SuiteSparse_INCLUDE_DIR}/${SuiteSparse_header_${part}}
     AND SuiteSparse_${part}_LIBRARY)
    set(SuiteSparse_${part}_FOUND TRUE)
    if(NOT TARGET SuiteSparse::${part})
      add_library(SuiteSparse::${part} UNKNOWN IMPORTED)
      set_target_properties(SuiteSparse::${part} PROPERTIES
        IMPORTED_LOCATION ${SuiteSparse_${part}_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${SuiteSparse_INCLUDE_DIR}
        INTERFACE_LINK_LIBRARIES "${SuiteSparse_config_LIBRARY}")
    endif()
  endif()
endforeach()
foreach(part IN LISTS SuiteSparse_known)
  foreach(need IN LISTS SuiteSparse_needs_${part})
    if(TARGET SuiteSparse::${part} AND TARGET SuiteSparse::${need})
      set_property(TARGET SuiteSparse::${part} APPEND PROPERTY INTERFACE_LINK_LIBRARIES SuiteSparse::${need})
    endif()
  endforeach()
endforeach()

find_package_handle_standard_args(SuiteSparse REQUIRED_VARS SuiteSparse_INCLUDE_DIR SuiteSparse_config_LIBRARY
                                  HANDLE_COMPONENTS)
