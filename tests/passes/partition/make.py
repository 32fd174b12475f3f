"""Programs that jax annotates with shardings for 8 devices, as HLO text: python make.py DIR.

Each is written with Shardy's annotations and with GSPMD's; the files beside this script are a choice of them.
"""
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import with_sharding_constraint as constrain
from jax.sharding import Mesh, NamedSharding, PartitionSpec

DEVICES = np.array(jax.devices())
GRID = Mesh(DEVICES.reshape(2, 4), ("data", "model"))
LINE = Mesh(DEVICES, ("x",))
CUBE = Mesh(DEVICES.reshape(2, 2, 2), ("a", "b", "c"))


def on(mesh, *axes):
    return NamedSharding(mesh, PartitionSpec(*axes))


def floats(*shape):
    return jax.ShapeDtypeStruct(shape, np.float32)


def ints(*shape):
    return jax.ShapeDtypeStruct(shape, np.int32)


def train(loss):
    def step(parameters, *batch):
        value, gradient = jax.value_and_grad(loss)(parameters, *batch)
        return jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradient), value

    return step


def transformer():
    """A training step, data and tensor parallel."""
    width, heads, hidden, words, length, batch = 32, 4, 64, 64, 16, 8

    def norm(x, gain):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * gain

    def loss(p, tokens):
        x = p["words"][tokens[:, :-1]]
        h = norm(x, p["gain"])
        q, k, v = (jnp.einsum("btd,dhk->bthk", h, p[name]) for name in "qkv")
        scores = jnp.einsum("bthk,bshk->bhts", q, k) / np.sqrt(width // heads)
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
        x = x + jnp.einsum("bhts,bshk,hkd->btd", jax.nn.softmax(scores, -1), v, p["o"])
        x = x + jax.nn.gelu(x @ p["up"]) @ p["down"]
        chances = jax.nn.log_softmax(x @ p["words"].T)
        return -jnp.mean(jnp.take_along_axis(chances, tokens[:, 1:, None], -1))

    head = floats(width, heads, width // heads)
    shapes = dict(words=floats(words, width), gain=floats(width), q=head, k=head, v=head,
                  o=floats(heads, width // heads, width), up=floats(width, hidden), down=floats(hidden, width))
    by_head = on(GRID, None, "model")
    shardings = dict(words=on(GRID), gain=on(GRID), q=by_head, k=by_head, v=by_head, o=on(GRID, "model"),
                     up=on(GRID, None, "model"), down=on(GRID, "model"))
    return train(loss), (shapes, ints(batch, length + 1)), (shardings, on(GRID, "data")), (shardings, on(GRID))


def fsdp():
    """A training step whose parameters are cut by the axis of the batch."""

    def loss(p, x, y):
        for weights, bias in p:
            x = jnp.tanh(x @ weights + bias)
        return jnp.mean((x - y) ** 2)

    shardings = [(on(LINE, "x", None), on(LINE, "x"))] * 2
    return (train(loss), ([(floats(32, 32), floats(32))] * 2, floats(64, 32), floats(64, 32)),
            (shardings, on(LINE, "x"), on(LINE, "x")), (shardings, on(LINE)))


def convolution():
    """A training step: batch by one axis, features by the other."""

    def loss(p, x, y):
        for weights in p[:-1]:
            x = jax.lax.conv_general_dilated(x, weights, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.nn.relu(x)
        return jnp.mean((x.mean((1, 2)) @ p[-1] - y) ** 2)

    shapes = [floats(3, 3, 4, 16), floats(3, 3, 16, 32), floats(32, 8)]
    shardings = [on(GRID, None, None, None, "model"), on(GRID, None, None, "model", None), on(GRID)]
    return (train(loss), (shapes, floats(8, 16, 16, 4), floats(8, 8)),
            (shardings, on(GRID, "data"), on(GRID, "data")), (shardings, on(GRID)))


def images():
    """A training step on images whose rows are cut, unevenly: windows reach into the blocks of neighbours."""

    def loss(p, x, y):
        x = constrain(x, on(GRID, "data", "model"))
        for weights in p[:-1]:
            x = jax.lax.conv_general_dilated(x, weights, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.lax.reduce_window(jax.nn.relu(x), 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
        return jnp.mean((x.mean((1, 2)) @ p[-1] - y) ** 2)

    shapes = [floats(3, 3, 4, 8), floats(5, 5, 8, 8), floats(8, 8)]
    return (train(loss), (shapes, floats(4, 54, 16, 4), floats(4, 8)),
            (on(GRID), on(GRID, "data"), on(GRID, "data")), (on(GRID), on(GRID)))


def embedding():
    """Rows are looked up, and their gradients scattered."""
    loss = lambda rows, indices, y: jnp.mean((rows[indices].sum(1) - y) ** 2)
    rows = on(GRID, None, "model")
    return (train(loss), (floats(64, 16), ints(16, 4), floats(16, 16)),
            (rows, on(GRID, "data"), on(GRID, "data", "model")), (rows, on(GRID)))


def scan():
    """Layers in a loop, and their gradient."""

    def loss(weights, x):
        def layer(h, w):
            return constrain(jnp.tanh(h @ w), on(GRID, "data", "model")), None

        return jnp.mean(jax.lax.scan(layer, x, weights)[0] ** 2)

    return train(loss), (floats(6, 32, 32), floats(16, 32)), (on(GRID, None, None, "model"), on(GRID, "data")), None


def experts():
    """A mixture of experts: tokens go to the device of their expert and back."""
    groups, tokens, width, experts, room, hidden = 8, 16, 16, 8, 4, 32

    def layer(x, gate, up, down):
        chances = jax.nn.softmax(x @ gate)
        chosen = jax.nn.one_hot(jnp.argmax(chances, -1), experts)
        places = jax.nn.one_hot((jnp.cumsum(chosen, 1) * chosen - 1).astype(jnp.int32), room) * chosen[..., None]
        sent = constrain(jnp.einsum("gsec,gsd->gecd", places, x), on(LINE, None, "x"))
        done = jnp.einsum("gecf,efd->gecd", jax.nn.relu(jnp.einsum("gecd,edf->gecf", sent, up)), down)
        back = constrain(done, on(LINE, "x"))
        return constrain(jnp.einsum("gsec,gecd->gsd", places * chances[..., None], back), on(LINE, "x"))

    by = on(LINE, "x")
    return (layer, (floats(groups, tokens, width), floats(width, experts), floats(experts, width, hidden),
                    floats(experts, hidden, width)), (by, on(LINE), by, by), None)


def resharding():
    """From one sharding to another, on a mesh of three axes."""
    pairs = [(("a", None, "b"), ("b", None, "a")), (("a", "b", None), (None, "a", "b")),
             ((("a", "b"), None, None), ("a", None, None)), (("a", None, None), (("a", "b"), None, None)),
             ((("a", "b", "c"), None, None), (None, ("a", "b", "c"), None)), (("c", "b", "a"), ("a", "b", "c"))]

    def moves(x):
        out = []
        for before, after in pairs:
            y = constrain(constrain(jnp.sin(x), on(CUBE, *before)) * 2, on(CUBE, *after))
            out += [y.sum(0), y]
        return out

    return moves, (floats(8, 16, 8),), (on(CUBE, "a"),), None


def operations():
    """Many operations on one array that is cut in both dimensions; some uneven."""

    def many(x, i):
        squares = x.T.reshape(4, 8, 16)[:, :4, :4]
        products = jnp.einsum("bij,bkj->bik", squares, squares) + jnp.eye(4)
        uneven = constrain(jnp.ones((5, 7)) * x[0, 0], on(GRID, "data", "model"))
        part = jax.lax.dynamic_slice(x, (i[0], 0), (4, 32))
        return (jnp.concatenate([x, x[::-1]], 1), jnp.pad(x, ((1, 1), (0, 0))), jnp.sort(x, 1), jnp.cumsum(x, 0),
                jnp.cumsum(x, 1), jnp.argmax(x, 1), x[i], x.at[i].add(1.0), x.max(0), jnp.prod(x[:, :4], 0),
                jax.lax.broadcasted_iota(jnp.int32, (16, 32), 0) * (x > 0), part,
                jax.lax.dynamic_update_slice(x, part, (i[1], 0)), jax.random.bits(jax.random.key(3), (16, 32)),
                jnp.std(x, 0), jnp.where(x > 0, x, 0).sum(), jnp.fft.fft(x, axis=1).real, jax.lax.top_k(x, 3),
                jax.lax.cond(i[0] > 3, lambda a: a * 2, lambda a: a.sum(0, keepdims=True) + a, x),
                jax.lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, x))[1],
                jnp.linalg.cholesky(products), x.reshape(512), x.reshape(2, 8, 4, 8), uneven, x[1:9, ::2])

    return many, (floats(16, 32), ints(8)), (on(GRID, "data", "model"), on(GRID, "data")), None


def manual():
    """A manual region between products that are partitioned."""

    def add(x):
        return jax.lax.psum(x, "data") * 2 + jax.lax.axis_index("data")

    def layers(x, w):
        y = jax.shard_map(add, mesh=GRID, in_specs=PartitionSpec("data"), out_specs=PartitionSpec("data"))(x @ w)
        return y.sum(1), y @ w.T

    return layers, (floats(16, 32), floats(32, 16)), (on(GRID, "data"), on(GRID, None, "model")), None


def main(folder):
    programs = [transformer, fsdp, convolution, images, embedding, scan, experts, resharding, operations, manual]
    for shardy in (True, False):
        jax.config.update("jax_use_shardy_partitioner", shardy)
        for make in programs:
            function, arguments, given, results = make()
            wanted = {} if results is None else {"out_shardings": results}
            lowered = jax.jit(function, in_shardings=given, **wanted).lower(*arguments)
            name = make.__name__ + ("_shardy" if shardy else "_gspmd")
            text = lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True)
            with open(os.path.join(folder, name + ".hlo"), "w") as file:
                file.write(text)
            if len(sys.argv) > 2:  # what XLA makes of them, to compare exchanges
                with open(os.path.join(sys.argv[2], name + ".hlo"), "w") as file:
                    file.write(lowered.compile().as_text())


main(sys.argv[1])
