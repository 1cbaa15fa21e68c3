#pragma once
// The targets' functions; the table of them is in targets.cpp.

#include <vector>

#include "fuzz_target.hpp"

namespace locdyn::fuzz {

void run_scene(Bytes bytes);
std::vector<Input> seeds_of_scene();
void run_problem_bytes(Bytes bytes);
std::vector<Input> seeds_of_problem_bytes();
void run_problem_parts(Bytes bytes);
std::vector<Input> seeds_of_problem_parts();
void run_robot(Bytes bytes);
std::vector<Input> seeds_of_robot();
void run_mesh(Bytes bytes);
std::vector<Input> seeds_of_mesh();
void run_checkpoint(Bytes bytes);
std::vector<Input> seeds_of_checkpoint();
void run_trajectory(Bytes bytes);
std::vector<Input> seeds_of_trajectory();
void run_arrays(Bytes bytes);
void run_c_arrays(Bytes bytes);
void run_bodies(Bytes bytes);
void run_solvers(Bytes bytes);
std::vector<Input> seeds_of_numbers();
void run_command_line(Bytes bytes);
std::vector<Input> seeds_of_command_line();

}  // namespace locdyn::fuzz
