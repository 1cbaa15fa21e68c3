#pragma once
// Bytes as a file, for readers that take a path: each name of it again and again in a folder of this process.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <scratch_folder.hpp>

#include "fuzz_target.hpp"

namespace locdyn::fuzz {

[[nodiscard]] inline std::filesystem::path scratch_path(const std::string& name) {
  static const test::ScratchFolder folder;
  return folder / name;
}

[[nodiscard]] inline std::filesystem::path scratch_file(const std::string& name, Bytes bytes) {
  std::filesystem::path path = scratch_path(name);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

[[nodiscard]] inline Input content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace locdyn::fuzz
