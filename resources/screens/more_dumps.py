#!/usr/bin/env python3
"""Ten more programs that no example of this project uses, as dumps.py, of jax, flax and optax alone:

  XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text' more_dumps.py NAME

compiles one of ssm, gan, t5, convnext, gat, nerf64, dqn, lora, gp64, beam.
"""
import functools
import sys

import flax.linen as nn
import jax, jax.numpy as jnp, numpy as np
import optax

name = sys.argv[1]
if name in ("nerf64", "gp64"):
    jax.config.update("jax_enable_x64", True)
K = jax.random.PRNGKey(0)
S = jax.ShapeDtypeStruct

def abstract(tree): return jax.tree.map(lambda x: S(x.shape, x.dtype), tree)
def go(step, *args): jax.jit(step).lower(*args).compile()
def a(*s): return S(s, jnp.float32)
def ints(*s): return S(s, jnp.int32)
def labels_loss(logits, y): return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

# A diagonal state space model, its recurrence by an associative scan.
if name == "ssm":
    D, N, L, V = 128, 16, 4, 256
    class Mix(nn.Module):
        @nn.compact
        def __call__(self, x):
            decay = self.param("log_decay", nn.initializers.normal(), (D, N))
            b, c = nn.Dense(N, name="to_b")(x), nn.Dense(N, name="to_c")(x)
            dt = nn.softplus(nn.Dense(D, name="to_dt")(x))
            keep = jnp.exp(-dt[..., None] * jnp.exp(decay)); put = dt[..., None] * b[..., None, :] * x[..., None]
            def join(p, q): return p[0] * q[0], q[0] * p[1] + q[1]
            _, h = jax.lax.associative_scan(join, (keep, put), axis=1)
            return (h * c[..., None, :]).sum(-1) * nn.silu(nn.Dense(D, name="gate")(x))
    class LM(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            x = nn.Embed(V, D)(tokens)
            for _ in range(L): x = x + nn.Dense(D)(Mix()(nn.RMSNorm()(x)))
            return nn.Dense(V)(nn.RMSNorm()(x))
    m = LM(); p = jax.eval_shape(m.init, K, jnp.zeros((4, 128), jnp.int32)); opt = optax.adamw(1e-3)
    def fit(p, s, tokens, targets):
        l, g = jax.value_and_grad(lambda p: labels_loss(m.apply(p, tokens), targets))(p)
        u, s = opt.update(g, s, p); return optax.apply_updates(p, u), s, l
    go(fit, p, jax.eval_shape(opt.init, p), ints(4, 128), ints(4, 128))

# Both players of a GAN in one step, each with its own optimizer.
elif name == "gan":
    class Generator(nn.Module):
        @nn.compact
        def __call__(self, z):
            h = nn.relu(nn.Dense(8 * 8 * 64)(z)).reshape(-1, 8, 8, 64)
            for f in (64, 32): h = nn.relu(nn.LayerNorm()(nn.ConvTranspose(f, (4, 4), strides=(2, 2))(h)))
            return jnp.tanh(nn.Conv(3, (3, 3))(h))
    class Critic(nn.Module):
        @nn.compact
        def __call__(self, x):
            for f in (32, 64, 128): x = nn.leaky_relu(nn.Conv(f, (4, 4), strides=2)(x), 0.2)
            return nn.Dense(1)(x.reshape(x.shape[0], -1))[:, 0]
    G, C = Generator(), Critic(); x = a(16, 32, 32, 3); z = a(16, 64)
    g, c = jax.eval_shape(G.init, K, z), jax.eval_shape(C.init, K, x)
    og, oc = optax.adam(1e-4, b1=0.5), optax.rmsprop(1e-4)
    def play(g, c, sg, sc, x, z):
        def penalty(c, x):
            slope = jax.grad(lambda x: C.apply(c, x).sum())(x)
            return jnp.mean((jnp.sqrt((slope ** 2).sum((1, 2, 3)) + 1e-8) - 1) ** 2)
        def critic_loss(c):
            fake = G.apply(g, z); return C.apply(c, fake).mean() - C.apply(c, x).mean() + 10 * penalty(c, (x + fake) / 2)
        def generator_loss(g): return -C.apply(c, G.apply(g, z)).mean()
        lc, dc = jax.value_and_grad(critic_loss)(c); u, sc = oc.update(dc, sc); c = optax.apply_updates(c, u)
        lg, dg = jax.value_and_grad(generator_loss)(g); u, sg = og.update(dg, sg)
        return optax.apply_updates(g, u), c, sg, sc, lg, lc
    go(play, g, c, jax.eval_shape(og.init, g), jax.eval_shape(oc.init, c), x, z)

# Encoder and decoder with relative positions, layers by nn.scan and rematerialised.
elif name == "t5":
    D, H, V, L = 128, 4, 512, 6
    class Attend(nn.Module):
        @nn.compact
        def __call__(self, x, y, bias):
            q, k, v = (nn.DenseGeneral((H, D // H), use_bias=False, name=n)(t) for n, t in (("q", x), ("k", y), ("v", y)))
            w = nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) + bias)
            return nn.DenseGeneral(D, axis=(-2, -1), use_bias=False, name="out")(jnp.einsum("bhqk,bkhd->bqhd", w, v))
    class Layer(nn.Module):
        crosses: bool
        @nn.compact
        def __call__(self, x, memory, bias):
            h = nn.RMSNorm()(x); x = x + Attend(name="self_attention")(h, h, bias)
            if self.crosses: x = x + Attend(name="cross_attention")(nn.RMSNorm()(x), memory, 0.0)
            h = nn.RMSNorm()(x)
            return x + nn.Dense(D)(nn.gelu(nn.Dense(4 * D, name="wi_0")(h)) * nn.Dense(4 * D, name="wi_1")(h)), None
    def stack(crosses, n):
        return nn.scan(nn.remat(Layer), variable_axes={"params": 0}, split_rngs={"params": True}, length=L,
                       in_axes=(nn.broadcast, nn.broadcast))(crosses, name=n)
    class T5(nn.Module):
        @nn.compact
        def __call__(self, src, dst):
            embed = nn.Embed(V, D); table = nn.Embed(32, H, name="relative_bias")
            def bias(n):
                at = jnp.arange(n); return table(jnp.clip(at[None] - at[:, None] + 16, 0, 31)).transpose(2, 0, 1)[None]
            memory, _ = stack(False, "encoder")(embed(src), None, bias(src.shape[1]))
            y, _ = stack(True, "decoder")(embed(dst), memory, bias(dst.shape[1])); return embed.attend(nn.RMSNorm()(y))
    m = T5(); t = jnp.zeros((4, 48), jnp.int32); p = jax.eval_shape(m.init, K, t, t); opt = optax.adafactor(1e-3)
    def train(p, s, source, target):
        l, g = jax.value_and_grad(lambda p: labels_loss(m.apply(p, source, target), target))(p)
        u, s = opt.update(g, s, p); return optax.apply_updates(p, u), s, l
    go(train, p, jax.eval_shape(opt.init, p), ints(4, 48), ints(4, 48))

# Depthwise convolutions, stochastic depth, averaged weights.
elif name == "convnext":
    class Block(nn.Module):
        dim: int
        @nn.compact
        def __call__(self, x, key):
            h = nn.LayerNorm()(nn.Conv(self.dim, (7, 7), feature_group_count=self.dim, name="depthwise")(x))
            h = nn.Dense(self.dim, name="narrow")(nn.gelu(nn.Dense(4 * self.dim, name="widen")(h)))
            h = h * self.param("scale", nn.initializers.constant(1e-6), (self.dim,))
            return x + jnp.where(jax.random.bernoulli(key, 0.9, (x.shape[0], 1, 1, 1)), h / 0.9, 0.0)
    class Net(nn.Module):
        @nn.compact
        def __call__(self, x, key):
            for dim, depth in ((32, 2), (64, 2), (128, 4)):
                x = nn.Conv(dim, (2, 2), strides=2, name=f"down_{dim}")(x)
                for k in range(depth): x = Block(dim, name=f"stage_{dim}_block_{k}")(x, jax.random.fold_in(key, k))
            return nn.Dense(10, name="head")(nn.LayerNorm()(x.mean((1, 2))))
    m = Net(); x = a(8, 32, 32, 3); p = jax.eval_shape(m.init, K, x, K); opt = optax.lamb(1e-3)
    def train(p, average, s, images, labels, key):
        l, g = jax.value_and_grad(lambda p: labels_loss(m.apply(p, images, key), labels))(p)
        u, s = opt.update(g, s, p); p = optax.apply_updates(p, u)
        return p, optax.incremental_update(p, average, 0.001), s, l
    go(train, p, p, jax.eval_shape(opt.init, p), x, ints(8), K)

# Attention over the edges of a graph.
elif name == "gat":
    V, E, F, H = 1000, 5000, 64, 4
    def layer(p, x, src, dst):
        h = (x @ p["w"]).reshape(V, H, -1)
        score = nn.leaky_relu((h * p["from"]).sum(-1)[src] + (h * p["to"]).sum(-1)[dst], 0.2)
        score = jnp.exp(score - jax.ops.segment_max(score, dst, V)[dst])
        share = score / jax.ops.segment_sum(score, dst, V)[dst]
        return jax.ops.segment_sum(h[src] * share[..., None], dst, V).reshape(V, -1)
    def classify(params, x, src, dst):
        for p in params[:-1]: x = nn.elu(layer(p, x, src, dst))
        return layer(params[-1], x, src, dst).reshape(V, H, -1).mean(1)
    one = lambda i, o: dict(w=a(i, H * o), **{"from": a(H, o), "to": a(H, o)})
    params = [one(F, 32), one(H * 32, 32), one(H * 32, 8)]; opt = optax.nadamw(5e-3)
    def step(params, s, features, senders, receivers, classes):
        l, g = jax.value_and_grad(lambda p: labels_loss(classify(p, features, senders, receivers), classes))(params)
        u, s = opt.update(g, s, params); return optax.apply_updates(params, u), s, l
    go(step, params, jax.eval_shape(opt.init, params), a(V, F), ints(E), ints(E), ints(V))

# A radiance field; numpy's pi makes the encoding double, so that more than was meant is.
elif name == "nerf64":
    class Field(nn.Module):
        @nn.compact
        def __call__(self, at):
            h = at
            for k in range(4): h = nn.relu(nn.Dense(128, param_dtype=jnp.float32)(h if k != 2 else jnp.concatenate([h, at], -1)))
            return nn.sigmoid(nn.Dense(3, param_dtype=jnp.float32)(h)), nn.softplus(nn.Dense(1, param_dtype=jnp.float32)(h))[..., 0]
    def encode(x):
        waves = np.pi * 2.0 ** np.arange(6)
        x = (x[..., None] * waves).reshape(*x.shape[:-1], -1); return jnp.concatenate([jnp.sin(x), jnp.cos(x)], -1)
    m = Field(); t = jnp.linspace(2.0, 6.0, 32, dtype=jnp.float32)
    def render(p, origin, way):
        color, density = m.apply(p, encode(origin[:, None] + way[:, None] * t[:, None]).astype(jnp.float32))
        alpha = 1 - jnp.exp(-density * (4.0 / 32)); through = jnp.cumprod(1 - alpha + 1e-10, -1)
        return ((alpha * through)[..., None] * color).sum(1)
    p = jax.eval_shape(m.init, K, a(1, 1, 36)); opt = optax.adam(optax.exponential_decay(5e-4, 1000, 0.5))
    def fit(p, s, origin, way, pixels):
        l, g = jax.value_and_grad(lambda p: jnp.mean((render(p, origin, way) - pixels) ** 2))(p)
        u, s = opt.update(g, s); return optax.apply_updates(p, u), s, l
    go(fit, p, jax.eval_shape(opt.init, p), a(128, 3), a(128, 3), a(128, 3))

# Double Q learning from a replay buffer, with a second copy of the network.
elif name == "dqn":
    class Q(nn.Module):
        @nn.compact
        def __call__(self, x):
            for f, k, s in ((32, 8, 4), (64, 4, 2), (64, 3, 1)): x = nn.relu(nn.Conv(f, (k, k), strides=s, padding="VALID")(x))
            h = nn.relu(nn.Dense(256)(x.reshape(x.shape[0], -1))); v, adv = nn.Dense(1)(h), nn.Dense(6)(h)
            return v + adv - adv.mean(-1, keepdims=True)
    q = Q(); p = jax.eval_shape(q.init, K, a(1, 84, 84, 4)); opt = optax.chain(optax.clip(1.0), optax.adam(1e-4))
    def learn(p, target, s, buffer, rows, action, reward, done):
        x, after = (buffer[rows + k].astype(jnp.float32) / 255 for k in (0, 1))
        best = q.apply(p, after).argmax(-1)
        aim = reward + 0.99 * (1 - done) * jnp.take_along_axis(q.apply(target, after), best[:, None], -1)[:, 0]
        def loss(p):
            return optax.huber_loss(jnp.take_along_axis(q.apply(p, x), action[:, None], -1)[:, 0], aim).mean()
        l, g = jax.value_and_grad(loss)(p); u, s = opt.update(g, s); p = optax.apply_updates(p, u)
        return p, optax.incremental_update(p, target, 0.005), s, l
    go(learn, p, p, jax.eval_shape(opt.init, p), S((1000, 84, 84, 4), jnp.uint8), ints(32), ints(32), a(32), a(32))

# Adapters of low rank beside frozen weights in bf16.
elif name == "lora":
    D, H, L, V, R = 256, 8, 6, 1000, 8
    b = lambda *s: S(s, jnp.bfloat16)
    def adapted(w, ab, x): return x @ w + (x @ ab["a"].astype(x.dtype)) @ ab["b"].astype(x.dtype)
    def norm(x, g):
        f = x.astype(jnp.float32); return (f * jax.lax.rsqrt((f * f).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * g
    def rope(x):
        at = jnp.arange(x.shape[1])[:, None] / 1e4 ** (jnp.arange(x.shape[-1] // 2) / (x.shape[-1] // 2)); u, v = jnp.split(x, 2, -1)
        c, s = (f(at)[None, :, None].astype(x.dtype) for f in (jnp.cos, jnp.sin)); return jnp.concatenate([u * c - v * s, u * s + v * c], -1)
    def llama_layer(w, ab, x):
        h = norm(x, w["n1"]); heads = lambda y: y.reshape(*y.shape[:2], H, D // H)
        q, k = rope(heads(adapted(w["q"], ab["q"], h))), rope(heads(h @ w["k"])); v = heads(adapted(w["v"], ab["v"], h))
        x = x + jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(x.shape) @ w["o"]
        h = norm(x, w["n2"]); return x + (nn.silu(h @ w["gate"]) * (h @ w["up"])) @ w["down"]
    def logits(frozen, adapters, tokens):
        x = frozen["emb"][tokens]
        for w, ab in zip(frozen["layers"], adapters): x = jax.checkpoint(llama_layer)(w, ab, x)
        return (norm(x, frozen["n"]) @ frozen["emb"].T).astype(jnp.float32)
    w = dict(n1=b(D), n2=b(D), q=b(D, D), k=b(D, D), v=b(D, D), o=b(D, D), gate=b(D, 2 * D), up=b(D, 2 * D), down=b(2 * D, D))
    frozen = dict(emb=b(V, D), n=b(D), layers=[w] * L); pair = dict(a=a(D, R), b=a(R, D))
    adapters = [dict(q=pair, v=pair)] * L; opt = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-4))
    def finetune(adapters, s, frozen, tokens, targets):
        l, g = jax.value_and_grad(lambda ab: labels_loss(logits(frozen, ab, tokens), targets))(adapters)
        u, s = opt.update(g, s, adapters); return optax.apply_updates(adapters, u), s, l
    go(finetune, adapters, jax.eval_shape(opt.init, adapters), frozen, ints(4, 64), ints(4, 64))

# A Gaussian process in double precision: the likelihood's gradient through a Cholesky factor, twenty steps of L-BFGS.
elif name == "gp64":
    n = 256
    def kernel(h, x):
        d2 = (((x[:, None] - x[None]) / jnp.exp(h["scale"])) ** 2).sum(-1)
        return jnp.exp(2 * h["size"]) * jnp.exp(-d2 / 2) + jnp.exp(2 * h["noise"]) * jnp.eye(n)
    def negative_likelihood(h, x, y):
        c = jnp.linalg.cholesky(kernel(h, x)); r = jax.scipy.linalg.solve_triangular(c, y, lower=True)
        return 0.5 * r @ r + jnp.log(jnp.diag(c)).sum() + n / 2 * np.log(2 * np.pi)
    opt = optax.lbfgs(); h = dict(scale=jnp.zeros(5), size=jnp.zeros(()), noise=jnp.zeros(()))
    def fit(h, x, y):
        f = functools.partial(negative_likelihood, x=x, y=y); again = optax.value_and_grad_from_state(f)
        def once(c, _):
            h, s = c; l, g = again(h, state=s); u, s = opt.update(g, s, h, value=l, grad=g, value_fn=f)
            return (optax.apply_updates(h, u), s), l
        (h, _), l = jax.lax.scan(once, (h, opt.init(h)), None, length=20); return h, l[-1]
    go(fit, abstract(h), S((n, 5), jnp.float64), S((n,), jnp.float64))

# Beam search of a recurrent decoder, until all beams have ended.
elif name == "beam":
    D, V, B, W, T = 256, 2000, 4, 5, 40
    def gru(p, h, x):
        z, r = jnp.split(nn.sigmoid(jnp.concatenate([x, h], -1) @ p["zr"]), 2, -1)
        return (1 - z) * h + z * jnp.tanh(jnp.concatenate([x, r * h], -1) @ p["c"])
    def expand(p, h, token):
        h = gru(p, h, p["emb"][token]); return h, jax.nn.log_softmax(h @ p["out"])
    def search(p, h0, begin):
        def more(c): return (c[0] < T) & ~c[4].all()
        def step(c):
            t, h, score, words, ended = c
            h, logp = expand(p, h, words[:, :, t])
            logp = jnp.where(ended[..., None], jnp.where(jnp.arange(V) == 0, 0.0, -jnp.inf), logp)
            score, at = jax.lax.top_k((score[..., None] + logp).reshape(B, -1), W); beam, word = at // V, at % V
            take = lambda x: jnp.take_along_axis(x, beam.reshape(B, W, *[1] * (x.ndim - 2)), 1)
            words = take(words).at[:, :, t + 1].set(word)
            return t + 1, take(h), score, words, take(ended) | (word == 0)
        words = jnp.zeros((B, W, T + 1), jnp.int32).at[:, :, 0].set(begin[:, None])
        h = jnp.broadcast_to(h0[:, None], (B, W, D)); score = jnp.full((B, W), -jnp.inf).at[:, 0].set(0.0)
        c = jax.lax.while_loop(more, step, (0, h, score, words, jnp.zeros((B, W), bool)))
        return c[3][:, 0], c[2][:, 0]
    go(search, dict(emb=a(V, D), zr=a(2 * D, 2 * D), c=a(2 * D, D), out=a(D, V)), a(B, D), ints(B))
