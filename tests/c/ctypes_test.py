"""The C interface from another language, through nothing but its header: Python's ctypes."""

import ctypes
import sys
import threading
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p


class SolveReport(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("outcome", c_int),
        ("solver", c_char * 32),
        ("reason", c_char * 256),
        ("iterations", c_int64),
        ("own_residual", c_double),
        ("seconds", c_double),
    ]


def load(path):
    library = ctypes.CDLL(path)
    library.locdyn_last_error.restype = c_char_p
    library.locdyn_version.restype = c_char_p
    library.locdyn_problem_from_csr.argtypes = [c_size_t, POINTER(c_int), POINTER(c_int), POINTER(c_double),
                                                POINTER(c_double), POINTER(c_double), c_size_t, POINTER(c_void_p)]
    library.locdyn_solve.argtypes = [c_void_p, c_void_p, POINTER(SolveReport)]
    library.locdyn_problem_get_vector.argtypes = [c_void_p, c_int, POINTER(c_double), c_size_t]
    library.locdyn_problem_free.argtypes = [c_void_p]
    return library


def block_on_an_incline(library, slope, friction):
    """One contact of unit mass: W = I, B = g h (slope, 0, -1); R = (-slope, 0, 1) g h where slope <= friction."""
    problem = c_void_p()
    status = library.locdyn_problem_from_csr(
        1, (c_int * 4)(0, 1, 2, 3), (c_int * 3)(0, 1, 2), (c_double * 3)(1, 1, 1), (c_double * 3)(slope, 0, -1),
        (c_double * 1)(friction), 1, byref(problem))
    assert status == 0, library.locdyn_last_error()
    report = SolveReport(size=ctypes.sizeof(SolveReport))
    assert library.locdyn_solve(problem, None, byref(report)) == 0, library.locdyn_last_error()
    assert report.outcome == 0 and report.reason == b"", (report.outcome, report.reason)
    R = (c_double * 3)()
    assert library.locdyn_problem_get_vector(problem, 2, R, 3) == 0
    assert library.locdyn_problem_free(problem) == 0
    return list(R)


def near(found, expected):
    return all(abs(a - b) < 1e-8 for a, b in zip(found, expected))


def errors_stay_with_their_thread(library):
    assert library.locdyn_problem_free(c_void_p(1234)) == 1
    mine = library.locdyn_last_error()
    assert b"freed or never was one" in mine, mine
    seen = []
    thread = threading.Thread(target=lambda: seen.append(library.locdyn_last_error()))
    thread.start()
    thread.join()
    assert seen == [b""], seen
    assert library.locdyn_last_error() == mine


def threads_solve_side_by_side(library):
    results = []
    work = lambda: results.extend(block_on_an_incline(library, 0.2, 0.5) for _ in range(200))
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 800 and all(R == results[0] for R in results)


def main(path):
    library = load(path)
    assert library.locdyn_version().startswith(b"0.")
    assert near(block_on_an_incline(library, 0.2, 0.5), [-0.2, 0, 1])  # sticks
    assert near(block_on_an_incline(library, 0.8, 0.5), [-0.5, 0, 1])  # slides
    errors_stay_with_their_thread(library)
    threads_solve_side_by_side(library)


if __name__ == "__main__":
    main(sys.argv[1])
