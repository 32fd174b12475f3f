#!/usr/bin/env python3
"""Ten more programs that no example of this project uses, as more_dumps.py, of jax, flax and optax alone:

  XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text' further_dumps.py NAME

compiles one of mlm, seq2seq, clip, pinn64, wavenet, automaton, maml, points, dit, byol.
"""
import functools
import sys

import flax.linen as nn
import jax, jax.numpy as jnp
import optax

name = sys.argv[1]
if name == "pinn64": jax.config.update("jax_enable_x64", True)
K = jax.random.PRNGKey(0)
S = jax.ShapeDtypeStruct

def abstract(tree): return jax.tree.map(lambda x: S(x.shape, x.dtype), tree)
def go(step, *args): jax.jit(step).lower(*args).compile()
def a(*s): return S(s, jnp.float32)
def ints(*s): return S(s, jnp.int32)
def labels_loss(logits, y): return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
def train(opt, loss, params, *data):
    def fit(p, s, *data):
        l, g = jax.value_and_grad(loss)(p, *data)
        u, s = opt.update(g, s, p)
        return optax.apply_updates(p, u), s, l
    go(fit, params, jax.eval_shape(opt.init, params), *data)
def shapes(module, *args): return jax.eval_shape(module.init, K, *[jnp.zeros(x.shape, x.dtype) for x in args])

# Masked words of a bidirectional encoder.
if name == "mlm":
    class Layer(nn.Module):
        @nn.compact
        def __call__(self, x, mask):
            x = nn.LayerNorm()(x + nn.SelfAttention(8, name="attend")(x, mask[:, None, None, :]))
            return nn.LayerNorm()(x + nn.Dense(256)(nn.gelu(nn.Dense(1024)(x))))
    class Encoder(nn.Module):
        @nn.compact
        def __call__(self, tokens, mask):
            embed = nn.Embed(4000, 256)
            x = nn.LayerNorm()(embed(tokens) + self.param("place", nn.initializers.normal(), (64, 256)))
            for k in range(6): x = Layer(name=f"layer_{k}")(x, mask)
            return embed.attend(nn.gelu(nn.Dense(256, name="head")(x)))
    m = Encoder(); data = ints(8, 64), S((8, 64), bool)
    def loss(p, tokens, mask, hidden, words):
        logits = m.apply(p, jnp.where(hidden, 3, tokens), mask)
        each = optax.softmax_cross_entropy_with_integer_labels(logits, words)
        return (each * hidden).sum() / hidden.sum()
    rate = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 100, 10000)
    train(optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate)), loss, shapes(m, *data), *data,
          S((8, 64), bool), ints(8, 64))

# A recurrent encoder and a decoder that attends to it.
elif name == "seq2seq":
    class Decode(nn.Module):
        @nn.compact
        def __call__(self, h, x, memory):
            score = jnp.einsum("bd,btd->bt", nn.Dense(128, name="query")(h), memory)
            seen = jnp.einsum("bt,btd->bd", nn.softmax(score), memory)
            h, _ = nn.GRUCell(128, name="gru")(h, jnp.concatenate([x, seen], -1))
            return h, nn.Dense(1000, name="words")(h)
    class Translate(nn.Module):
        @nn.compact
        def __call__(self, source, target):
            x = nn.Embed(1000, 128, name="source")(source)
            memory = nn.Bidirectional(nn.RNN(nn.GRUCell(64)), nn.RNN(nn.GRUCell(64)))(x)
            decode = nn.scan(Decode, variable_broadcast="params", split_rngs={"params": False},
                             in_axes=(1, nn.broadcast), out_axes=1)()
            return decode(memory[:, -1], nn.Embed(1000, 128, name="target")(target), memory)[1]
    m = Translate(); data = ints(8, 20), ints(8, 24)
    train(optax.rmsprop(1e-3), lambda p, s, t, y: labels_loss(m.apply(p, s, t), y), shapes(m, *data), *data, ints(8, 24))

# Pictures and words in one space.
elif name == "clip":
    class Picture(nn.Module):
        @nn.compact
        def __call__(self, x):
            for f in (32, 64, 128): x = nn.relu(nn.GroupNorm(8)(nn.Conv(f, (3, 3), strides=(2, 2))(x)))
            return nn.Dense(64)(x.mean((1, 2)))
    class Words(nn.Module):
        @nn.compact
        def __call__(self, t):
            x = nn.Embed(2000, 128)(t)
            for _ in range(2): x = x + nn.MultiHeadDotProductAttention(4)(nn.LayerNorm()(x))
            return nn.Dense(64)(x.mean(1))
    class Both(nn.Module):
        @nn.compact
        def __call__(self, x, t):
            unit = lambda v: v / jnp.linalg.norm(v, axis=-1, keepdims=True)
            scale = self.param("scale", nn.initializers.constant(2.6), ())
            return jnp.exp(scale) * unit(Picture()(x)) @ unit(Words()(t)).T
    m = Both(); data = a(32, 64, 64, 3), ints(32, 16)
    def loss(p, x, t):
        z, own = m.apply(p, x, t), jnp.arange(32)
        return labels_loss(z, own) + labels_loss(z.T, own)
    train(optax.lion(1e-4), loss, shapes(m, *data), *data)

# A network that solves the heat equation, by second derivatives in f64.
elif name == "pinn64":
    class Field(nn.Module):
        @nn.compact
        def __call__(self, x):
            for _ in range(5): x = jnp.tanh(nn.Dense(64, param_dtype=jnp.float64)(x))
            return nn.Dense(1, param_dtype=jnp.float64)(x)[0]
    m = Field(); f64 = lambda *s: S(s, jnp.float64)
    def loss(p, inside, border, wanted):
        u = functools.partial(m.apply, p)
        def residual(x): return jax.grad(u)(x)[0] - 0.1 * jax.hessian(u)(x)[1, 1]
        return (jax.vmap(residual)(inside) ** 2).mean() + ((jax.vmap(u)(border) - wanted) ** 2).mean()
    train(optax.adam(1e-3), loss, shapes(m, f64(2)), f64(512, 2), f64(128, 2), f64(128))

# Sound by dilated causal convolutions.
elif name == "wavenet":
    class Block(nn.Module):
        step: int
        @nn.compact
        def __call__(self, x):
            h = nn.Conv(64, (2,), kernel_dilation=(self.step,), padding="CAUSAL")(x)
            u, v = jnp.split(h, 2, -1); h = jnp.tanh(u) * nn.sigmoid(v)
            return x + nn.Dense(32, name="back")(h), nn.Dense(64, name="skip")(h)
    class Sound(nn.Module):
        @nn.compact
        def __call__(self, x):
            x, out = nn.Dense(32)(x[..., None]), 0.0
            for k in range(8):
                x, s = Block(2 ** k)(x); out = out + s
            return nn.Dense(256)(nn.relu(out))
    m = Sound(); data = (a(4, 2048),)
    train(optax.adam(1e-3), lambda p, x, y: labels_loss(m.apply(p, x), y), shapes(m, *data), *data, ints(4, 2048))

# A cellular automaton whose rule is learned, over 32 steps that are computed again for the gradient.
elif name == "automaton":
    def rule(p, x):
        kernels = jnp.stack([jnp.ones((3, 3)) / 9, jnp.outer(jnp.array([1., 2, 1]), jnp.array([-1., 0, 1])) / 8])
        near = jax.lax.conv_general_dilated(x, jnp.tile(kernels.transpose(1, 2, 0)[:, :, None], (1, 1, 1, 16)), (1, 1),
                                            "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=16)
        h = jax.nn.relu(jnp.concatenate([x, near], -1) @ p["hidden"] + p["bias"])
        alive = nn.max_pool(x[..., 3:4], (3, 3), (1, 1), "SAME") > 0.1
        return (x + h @ p["out"]) * alive
    def grow(p, x): return jax.lax.scan(lambda x, _: (jax.checkpoint(rule)(p, x), None), x, None, length=32)[0]
    train(optax.adam(2e-3), lambda p, x, y: ((grow(p, x)[..., :4] - y) ** 2).mean(),
          dict(hidden=a(48, 128), bias=a(128), out=a(128, 16)), a(4, 40, 40, 16), a(4, 40, 40, 4))

# Learning to learn: gradients of what five inner steps reach.
elif name == "maml":
    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            for f in (64, 64): x = nn.relu(nn.Dense(f)(x))
            return nn.Dense(1)(x)
    m = Net()
    def error(p, x, y): return ((m.apply(p, x) - y) ** 2).mean()
    def adapted(p, x, y, u, v):
        def inner(p, _): return jax.tree.map(lambda w, g: w - 0.01 * g, p, jax.grad(error)(p, x, y)), None
        return error(jax.lax.scan(inner, p, None, length=5)[0], u, v)
    def loss(p, x, y, u, v): return jax.vmap(functools.partial(adapted, p))(x, y, u, v).mean()
    train(optax.adam(1e-3), loss, shapes(m, a(10, 1)), *[a(25, 10, 1)] * 4)

# Clouds of points, with batch norm and dropout.
elif name == "points":
    class Cloud(nn.Module):
        @nn.compact
        def __call__(self, x, key):
            turn = nn.Dense(9, name="turn")(nn.relu(nn.Dense(64, name="look")(x)).max(1)).reshape(-1, 3, 3)
            x = jnp.einsum("bnc,bcd->bnd", x, turn)
            for f in (64, 128, 512): x = nn.relu(nn.BatchNorm(use_running_average=False)(nn.Dense(f)(x)))
            x = nn.Dropout(0.3, deterministic=False)(nn.Dense(256)(x.max(1)), rng=key)
            return nn.Dense(40)(nn.relu(x))
    m = Cloud(); p = jax.eval_shape(m.init, K, jnp.zeros((16, 256, 3)), K)
    def loss(q, stats, x, y, key):
        z, stats = m.apply({"params": q, "batch_stats": stats}, x, key, mutable=["batch_stats"])
        return labels_loss(z, y), stats
    opt = optax.sgd(0.1, momentum=0.9, nesterov=True)
    def fit(q, s, stats, x, y, key):
        (l, stats), g = jax.value_and_grad(loss, has_aux=True)(q, stats, x, y, key)
        u, s = opt.update(g, s, q); return optax.apply_updates(q, u), s, stats, l
    go(fit, p["params"], jax.eval_shape(opt.init, p["params"]), p["batch_stats"], a(16, 256, 3), ints(16), abstract(K))

# Flow matching by a transformer whose norms the time sets, with averaged weights.
elif name == "dit":
    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, c):
            s = jnp.split(nn.Dense(6 * 192, name="set_norms")(nn.silu(c))[:, None], 6, -1)
            norm = nn.LayerNorm(use_bias=False, use_scale=False)
            x = x + s[0] * nn.SelfAttention(6)(norm(x) * (1 + s[1]) + s[2])
            return x + s[3] * nn.Dense(192)(nn.gelu(nn.Dense(768)(norm(x) * (1 + s[4]) + s[5])))
    class Flow(nn.Module):
        @nn.compact
        def __call__(self, x, t, label):
            h = nn.Conv(192, (4, 4), strides=(4, 4), name="patches")(x).reshape(x.shape[0], -1, 192)
            wave = jnp.exp(-jnp.arange(32) / 4) * t[:, None]
            c = nn.Dense(192)(jnp.concatenate([jnp.sin(wave), jnp.cos(wave)], -1)) + nn.Embed(10, 192)(label)
            for _ in range(4): h = Block()(h, c)
            return nn.Dense(48, name="unpatch")(h)
    m = Flow(); data = a(8, 32, 32, 3), a(8), ints(8); p = shapes(m, *data); opt = optax.adamw(1e-4)
    def loss(p, x, t, label, key):
        noise = jax.random.normal(key, x.shape); mix = t[:, None, None, None]
        wanted = (x - noise).reshape(8, 8, 4, 8, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(8, 64, 48)
        return ((m.apply(p, mix * x + (1 - mix) * noise, t, label) - wanted) ** 2).mean()
    def fit(p, s, mean, *data):
        l, g = jax.value_and_grad(loss)(p, *data); u, s = opt.update(g, s, p); p = optax.apply_updates(p, u)
        return p, s, optax.incremental_update(p, mean, 1e-3), l
    go(fit, p, jax.eval_shape(opt.init, p), p, *data, abstract(K))

# A student that foretells what its own average sees.
elif name == "byol":
    class Sight(nn.Module):
        @nn.compact
        def __call__(self, x):
            for f in (32, 64, 128):
                y = nn.relu(nn.GroupNorm(8)(nn.Conv(f, (3, 3), strides=(2, 2))(x)))
                x = y + nn.Conv(f, (3, 3), use_bias=False)(y)
            return nn.Dense(128, name="project")(x.mean((1, 2)))
    class Student(nn.Module):
        @nn.compact
        def __call__(self, x): return nn.Dense(128, name="foretell")(nn.relu(nn.Dense(256)(Sight(name="sight")(x))))
    student, teacher = Student(), Sight(); x = a(16, 48, 48, 3); p, q = shapes(student, x), shapes(teacher, x)
    opt = optax.lars(0.3)
    def loss(p, q, x, y):
        unit = lambda v: v / jnp.linalg.norm(v, axis=-1, keepdims=True)
        far = lambda u, v: 2 - 2 * (unit(student.apply(p, u)) * unit(jax.lax.stop_gradient(teacher.apply(q, v)))).sum(-1)
        return (far(x, y) + far(y, x)).mean()
    def fit(p, s, q, x, y):
        l, g = jax.value_and_grad(loss)(p, q, x, y); u, s = opt.update(g, s, p); p = optax.apply_updates(p, u)
        return p, s, optax.incremental_update({"params": p["params"]["sight"]}, q, 0.01), l
    go(fit, p, jax.eval_shape(opt.init, p), q, x, x)
