#!/usr/bin/env python3
"""What script/update-operators makes of LibTorch's descriptions, by small ones."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "script/update-operators"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("update_operators", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("update_operators", loader))
loader.exec_module(script)


def operator(schema, derivatives=(), **more):
    """The only operator of a description."""
    function = {"func": schema, "dispatch": {"CPU": "kernel"}} | more
    (facts,) = script.operators_of([function], list(derivatives)).values()
    return facts


def overload(schema, *derivatives, **more):
    (facts,) = operator(schema, derivatives, **more)["overloads"]
    return facts


class Schemas(unittest.TestCase):
    def test_arguments(self):
        facts = overload("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
        self.assertEqual(facts["arguments"], ["self", "other", "alpha=1"])
        self.assertEqual(facts["tensors"], [0, 1])

    def test_lists_and_brackets(self):
        facts = overload("cat(Tensor[] tensors, int[2] size=[1, 2], int dim=0) -> Tensor")
        self.assertEqual(facts["arguments"], ["tensors", "size=[1, 2]", "dim=0"])

    def test_in_place(self):
        facts = overload("mix(Tensor self, Tensor(a!) noise) -> Tensor")
        self.assertEqual(facts["changes"], [1])

    def test_out(self):
        facts = operator("add.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)")
        self.assertEqual(facts, {"overloads": [], "out": True})

    def test_views(self):
        schema = "select(Tensor(a) self, int index) -> Tensor(a)"
        self.assertEqual(overload(schema)["views"], 0)
        self.assertEqual(overload(schema, dispatch={})["mayView"], 0)
        self.assertNotIn("views", overload("clone(Tensor self) -> Tensor"))

    def test_tags(self):
        facts = overload("draw(Tensor self) -> Tensor", tags="nondeterministic_seeded")
        self.assertTrue(facts["random"])
        self.assertTrue(overload("t_(Tensor(a!) self) -> Tensor(a!)", tags=["inplace_view"])["reshapes"])
        self.assertFalse(overload("item(Tensor self) -> Scalar")["tensor"])


class Gradients(unittest.TestCase):
    def test_saved(self):
        schema = "mul(Tensor self, Tensor other) -> Tensor"
        facts = overload(schema, {"name": schema, "self": "grad * other", "other": "grad * self",
                                  "result": "self_t * other_p"})
        self.assertEqual(facts["saves"], {"self": ["other"], "other": ["self"]})
        self.assertNotIn("gradient", facts)

    def test_result(self):
        schema = "exp(Tensor self) -> Tensor"
        facts = overload(schema, {"name": schema, "self": "grad * result.conj()"})
        self.assertEqual(facts["saves"], {"self": ["=0"]})

    def test_one_of_several_results(self):
        schema = "sort(Tensor self) -> (Tensor values, Tensor indices)"
        facts = overload(schema, {"name": schema, "self": "pick(grad, indices, self.sym_sizes())"})
        self.assertEqual(facts["saves"], {"self": ["=1"]})

    def test_description_is_not_saved(self):
        schema = "sum(Tensor self) -> Tensor"
        facts = overload(schema, {"name": schema, "self": "grad.expand_symint(self.sym_sizes())"})
        self.assertNotIn("saves", facts)

    def test_in_place_form(self):
        schema = "mul.Other(Tensor self, Tensor other) -> Tensor"
        facts = overload("mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                         {"name": schema, "self": "grad * other", "other": "grad * self"})
        self.assertEqual(facts["saves"], {"self": ["other"], "other": ["self"]})

    def test_kinds(self):
        schema = "floor(Tensor self) -> Tensor"
        self.assertEqual(overload(schema)["gradient"], "unknown")
        self.assertEqual(overload(schema, dispatch={})["gradient"], "composite")
        self.assertNotEqual(overload(schema, dispatch={}, structured_delegate="floor.out")["gradient"],
                            "composite")
        zero = {"name": schema, "self": "zeros_like(grad)"}
        self.assertEqual(overload(schema, zero)["gradient"], "zero")
        none = {"name": schema, "output_differentiability": [False]}
        self.assertEqual(overload(schema, none)["gradient"], "none")


if __name__ == "__main__":
    unittest.main()
