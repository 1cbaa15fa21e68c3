#pragma once
// Where and with what a time was measured: the machine, the build, and how busy the machine was with other work.

#include <nlohmann/json.hpp>

namespace locdyn::app {

/// {"processor", "logical_processors", "memory_gib", "system", "load_1min"}.
[[nodiscard]] nlohmann::ordered_json machine_json();

/// The libraries that run with this program and tell their version, by name: {"Eigen": "3.4.0", "SuiteSparse": …}.
[[nodiscard]] nlohmann::ordered_json libraries_json();

/// {"locdyn", "commit", "compiler", "flags", "type", "blas", "libraries", "executable"}: the last is a hash of the
/// running program.
[[nodiscard]] nlohmann::ordered_json build_json();

/// The commit of the sources that this was built from, "-dirty" where they were changed since; "unknown" outside git.
[[nodiscard]] const char* built_commit() noexcept;

}  // namespace locdyn::app
