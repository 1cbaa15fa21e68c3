"""Problems in matrices and files against closed forms and against each other."""

import copy
import os
import pickle

import numpy as np
import pytest
import scipy.sparse as sparse

import locdyn


def random_problem(contacts=6, freedoms=30, seed=1):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(3 * contacts, freedoms))
    return sparse.csr_matrix(H @ H.T), rng.normal(size=3 * contacts), 0.1 + 0.8 * rng.random(contacts)


def test_one_contact_opens_sticks_and_slides():
    W = np.eye(3)
    for b, expected in [((0, 0, 1), (0, 0, 0)), ((0.1, 0, -1), (-0.1, 0, 1)), ((2, 0, -1), (-0.5, 0, 1))]:
        R, report = locdyn.solve(W, b, 0.5)
        assert report.converged and report.status == "converged" and report.reason == ""
        assert R == pytest.approx(np.array([expected]), abs=1e-9)


def test_matrices_come_back_as_they_went_in():
    W, b, mu = random_problem()
    problem = locdyn.Problem(W, b, mu)
    assert abs(problem.to_csr() - W).max() == 0
    assert problem.to_bsr().blocksize == (3, 3)
    assert (problem.b.ravel() == b).all() and (problem.friction == mu).all()
    assert len(problem) == 6 and set(problem.laws) == {"a contact"}


def test_every_way_to_hand_in_a_matrix_gives_the_same_bits():
    W, b, mu = random_problem()
    R, _ = locdyn.solve(W, b, mu)
    for other in (W.tocsc(), W.tocoo(), W.tobsr((3, 3)), W.toarray()):
        again, _ = locdyn.solve(other, b.reshape(-1, 3), mu)
        assert (again == R).all()


def test_normal_first_is_the_same_problem():
    W, b, mu = random_problem()
    R, _ = locdyn.solve(W, b, mu)
    places = (3 * np.arange(6)[:, None] + np.array([2, 0, 1])).ravel()
    first, _ = locdyn.solve(W[places][:, places], b[places], mu, order="normal-first")
    assert (first == R[:, [2, 0, 1]]).all()
    problem = locdyn.Problem(W, b, mu)
    assert abs(problem.to_csr("normal-first") - W[places][:, places]).max() == 0


def test_the_judge_and_the_warm_start():
    W, b, mu = random_problem()
    problem = locdyn.Problem(W, b, mu)
    cold = problem.solve(tolerance=1e-10)
    assert problem.residual().scaled <= 1e-10
    assert problem.U == pytest.approx((b + W @ problem.R.ravel()).reshape(-1, 3), abs=1e-12)
    assert locdyn.residual(W, b, mu, problem.R).scaled == problem.residual().scaled
    warm = problem.solve(tolerance=1e-10)
    assert warm.iterations == 0 and cold.iterations > 0
    R = problem.R
    R[:] = 0  # a copy: the problem keeps its own
    assert problem.residual().scaled <= 1e-10


def test_all_solvers_agree_and_a_table_says_so():
    W, b, mu = random_problem()
    table = locdyn.compare({"six": locdyn.Problem(W, b, mu)}, tolerance=1e-9)
    assert len(table) == len(locdyn.solvers())
    assert [run.solver for run in table] == [name for name, _ in locdyn.solvers()]
    assert "six" in str(table) and "auto" in str(table) and "<td>auto</td>" in table._repr_html_()
    for run in table:
        assert run.report.converged, run.solver


def test_pickle_and_copies_hold_all():
    W, b, mu = random_problem()
    problem = locdyn.Problem(W, b, mu)
    problem.solve()
    for other in (pickle.loads(pickle.dumps(problem)), copy.deepcopy(problem), copy.copy(problem)):
        assert (other.R == problem.R).all() and (other.b == problem.b).all()
        assert abs(other.to_csr() - problem.to_csr()).max() == 0
        other.R = 0 * other.R
        other.solve()
        assert other.residual().scaled <= 1e-8
    assert problem.residual().scaled <= 1e-8  # theirs is not ours


def test_files_go_out_and_come_back(tmp_path):
    W, b, mu = random_problem()
    problem = locdyn.Problem(W, b, mu)
    problem.solve()
    problem.write(tmp_path / "six.hdf5")
    again = locdyn.Problem.read(tmp_path / "six.hdf5")
    assert abs(again.to_csr() - W).max() == 0 and (again.b == problem.b).all() and (again.friction == mu).all()
    problem.write_matrix_market(tmp_path / "W.mtx")
    import scipy.io

    assert abs(scipy.io.mmread(tmp_path / "W.mtx") - W).max() == 0


@pytest.mark.skipif("LOCDYN_PROBLEMS" not in os.environ, reason="no problem files")
def test_real_files_are_solved():
    folder = os.path.join(os.environ["LOCDYN_PROBLEMS"], "local3d")
    names = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".hdf5"))
    assert names
    for name in names[:8]:
        problem = locdyn.Problem.read(name)
        assert problem.solve(max_seconds=20).converged, name
        restored = pickle.loads(pickle.dumps(problem))
        assert (restored.R == problem.R).all()


def test_limits_are_told():
    W, b, mu = random_problem(40, 60)
    problem = locdyn.Problem(W, b, mu)
    report = problem.solve("nsgs", tolerance=1e-14, max_iterations=3)
    assert report.status == "max_iterations" and not report.converged and report.reason
    assert report.iterations == 3 and len(report.history) >= 1 and "max_iterations" in repr(report)


def test_threads_of_python_run_while_it_solves():
    import threading
    import time

    W, b, mu = random_problem(600, 1000)
    problem = locdyn.Problem(W, b, mu)
    ticks = 0
    done = threading.Event()

    def solve():
        problem.solve("nsgs", tolerance=1e-300, max_iterations=20_000, max_seconds=1.0)
        done.set()

    thread = threading.Thread(target=solve)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.01)
    thread.join()
    assert ticks >= 5


def with_column(W, column):
    wrong = W.copy()
    wrong.indices = wrong.indices.astype(np.int64)
    wrong.indices[0] = column
    return wrong


BAD = [
    (lambda W, b, mu: locdyn.Problem(with_column(W, 99), b, mu), "columns of W: expected 0 … 17, found 99"),
    (lambda W, b, mu: locdyn.Problem(with_column(W, -1), b, mu), "columns of W: expected 0 … 2147483647, found -1"),
    (lambda W, b, mu: locdyn.Problem(with_column(W, 2**32), b, mu), "columns of W: expected 0 … 2147483647, found 4294967296"),
    (lambda W, b, mu: locdyn.Problem(W[:4, :4], b[:4], 0.5), "W: expected a square matrix of three rows a contact, found the shape (4, 4)"),
    (lambda W, b, mu: locdyn.Problem(W[:3], b[:3], 0.5), "W: expected a square matrix"),
    (lambda W, b, mu: locdyn.Problem(W, b[:-1], mu), "b: expected the shape (18,) or (6, 3), found (17,)"),
    (lambda W, b, mu: locdyn.Problem(W, b, mu[:-1]), "friction: expected the shape (6,), found (5,)"),
    (lambda W, b, mu: locdyn.Problem(W, b, -mu), "friction[0]: expected 0"),
    (lambda W, b, mu: locdyn.Problem(W, b, "x"), "friction: expected real numbers, found an array of <U1"),
    (lambda W, b, mu: locdyn.Problem(W * np.nan, b, mu), "values of W[0]: expected a finite number, found nan"),
    (lambda W, b, mu: locdyn.Problem(W, b * np.inf, mu), "b: expected finite numbers, found"),
    (lambda W, b, mu: locdyn.Problem(W.astype(complex), b, mu), "W: expected real numbers, found a matrix of complex128"),
    (lambda W, b, mu: locdyn.Problem(W, b, mu, order="n"), "order: expected normal-last or normal-first, found n"),
    (lambda W, b, mu: locdyn.solve(W, b, mu, solver="best"), "solver: expected one of auto"),
    (lambda W, b, mu: locdyn.solve(W, b, mu, tolerance=-1), "tolerance"),
    (lambda W, b, mu: locdyn.solve(W, b, mu, threads=0), "threads"),
    (lambda W, b, mu: locdyn.solve(W, b, mu, measure="mine"), "measure: expected scaled, relative or absolute"),
    (lambda W, b, mu: locdyn.solve(W, b, mu, R=np.zeros((5, 3))), "R: expected the shape (6, 3), found (5, 3)"),
    (lambda W, b, mu: locdyn.residual(W, b, mu, np.zeros(18)), "R: expected the shape (6, 3), found (18,)"),
]


@pytest.mark.parametrize("call, line", BAD)
def test_bad_input_is_one_line(call, line):
    with pytest.raises(ValueError) as fault:
        call(*random_problem())
    assert line in str(fault.value) and "\n" not in str(fault.value)


def test_files_that_are_none(tmp_path):
    for name, content in [("empty.hdf5", b""), ("text.hdf5", b"hello"), ("none.hdf5", None)]:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(locdyn.FileError) as fault:
            locdyn.Problem.read(path)
        assert isinstance(fault.value, OSError) and name in str(fault.value)
    W, b, mu = random_problem()
    with pytest.raises(locdyn.FileError):
        locdyn.Problem(W, b, mu).write(tmp_path / "no" / "folder.hdf5")
