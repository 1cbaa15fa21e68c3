#include "machine_facts.hpp"

#include <dlfcn.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <Eigen/Core>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "bench_run.hpp"

namespace locdyn::app {
namespace {

using Json = nlohmann::ordered_json;

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

double memory_gib() {
  const double bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return std::round(bytes / (1 << 30) * 10) / 10;
}

// OpenBLAS says its version and kernel; of others the file that dgemm comes from says enough.
std::string blas() {
  if (void* config = ::dlsym(RTLD_DEFAULT, "openblas_get_config"); config != nullptr) {
    return reinterpret_cast<char* (*)()>(config)();
  }
  Dl_info where = {};
  void* dgemm = ::dlsym(RTLD_DEFAULT, "dgemm_");
  if (dgemm != nullptr && ::dladdr(dgemm, &where) != 0) {
    std::error_code none;
    return std::filesystem::canonical(where.dli_fname, none).filename().string();
  }
  return "none";
}

std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

// The function of a library that runs with this program, or nullptr.
template <class Function>
Function* found_in_library(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

Json libraries_json() {
  Json libraries = {
      {"Eigen", dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"nlohmann_json", dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)}};
  if (auto* version = found_in_library<int(int*)>("SuiteSparse_version")) {
    int parts[3] = {0, 0, 0};
    version(parts);
    libraries["SuiteSparse"] = dotted(parts[0], parts[1], parts[2]);
  }
  if (auto* version = found_in_library<int(unsigned*, unsigned*, unsigned*)>("H5get_libversion")) {
    unsigned parts[3] = {0, 0, 0};
    if (version(&parts[0], &parts[1], &parts[2]) >= 0) {
      libraries["HDF5"] = dotted(static_cast<int>(parts[0]), static_cast<int>(parts[1]), static_cast<int>(parts[2]));
    }
  }
  if (auto* version = found_in_library<int(char*, int)>("SUNDIALSGetVersion")) {
    char text[32] = "";
    if (version(text, sizeof text) == 0) libraries["SUNDIALS"] = text;
  }
  auto* major = found_in_library<unsigned()>("aiGetVersionMajor");
  auto* minor = found_in_library<unsigned()>("aiGetVersionMinor");
  if (major != nullptr && minor != nullptr) {
    libraries["Assimp"] = std::to_string(major()) + "." + std::to_string(minor());
  }
  if (auto* version = found_in_library<const char*()>("gnu_get_libc_version")) libraries["glibc"] = version();
  libraries["BLAS"] = blas();
  return libraries;
}

Json machine_json() {
  utsname system = {};
  const bool known = ::uname(&system) == 0;
  double load[1] = {0};
  return {{"processor", processor()},
          {"logical_processors", std::thread::hardware_concurrency()},
          {"memory_gib", memory_gib()},
          {"system", known ? std::string(system.sysname) + " " + system.release + " " + system.machine : "unknown"},
          {"load_1min", ::getloadavg(load, 1) == 1 ? load[0] : std::nan("")}};
}

Json build_json() {
#ifdef __clang__
  const std::string compiler = std::string("Clang ") + __clang_version__;
#else
  const std::string compiler = std::string("GCC ") + __VERSION__;
#endif
  return {{"locdyn", LOCDYN_VERSION},      {"commit", built_commit()},
          {"compiler", compiler},          {"flags", LOCDYN_FLAGS},
          {"type", LOCDYN_BUILD_TYPE},     {"blas", blas()},
          {"libraries", libraries_json()}, {"executable", file_hash("/proc/self/exe")}};
}

}  // namespace locdyn::app
