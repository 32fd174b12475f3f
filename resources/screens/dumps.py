#!/usr/bin/env python3
"""Programs of libraries that no example of this project uses, for trying it as somebody who has never seen them:

  XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text' dumps.py NAME

compiles one of transformer_haiku, resnet_haiku, mixer_equinox, ode_equinox, flow64, ppo_distrax, seq2seq_linen, vae_linen,
moe_nnx, hmc_tfp, decode. Needs jax, flax, optax, dm-haiku, jmp, equinox, distrax.
"""
import sys

import jax, jax.numpy as jnp, numpy as np
import optax

name = sys.argv[1]
if name in ("flow64", "ode_equinox"):
    jax.config.update("jax_enable_x64", True)
K = jax.random.PRNGKey(0)
S = jax.ShapeDtypeStruct

def abstract(tree): return jax.tree.map(lambda x: S(x.shape, x.dtype), tree)
def go(step, *args):
    lowered = jax.jit(step).lower(*args)
    lowered.compile()

if name == "transformer_haiku":
    import haiku as hk
    L, D, H, V, T, B = 6, 256, 8, 1000, 64, 4
    def net(tokens):
        x = hk.Embed(V, D)(tokens) + hk.get_parameter("pos", [T, D], init=hk.initializers.TruncatedNormal())
        mask = jnp.tril(jnp.ones((1, 1, T, T)))
        init = hk.initializers.VarianceScaling(2 / L)
        for i in range(L):
            h = hk.LayerNorm(-1, True, True)(x)
            x = x + hk.MultiHeadAttention(H, D // H, model_size=D, w_init=init)(h, h, h, mask=mask)
            h = hk.LayerNorm(-1, True, True)(x)
            x = x + hk.Linear(D)(jax.nn.gelu(hk.Linear(4 * D)(h)))
        return hk.Linear(V)(hk.LayerNorm(-1, True, True)(x))
    f = hk.without_apply_rng(hk.transform(net))
    opt = optax.adamw(1e-3)
    def loss(p, tokens, targets):
        return optax.softmax_cross_entropy_with_integer_labels(f.apply(p, tokens), targets).mean()
    def train_step(p, s, tokens, targets):
        l, g = jax.value_and_grad(loss)(p, tokens, targets)
        u, s = opt.update(g, s, p)
        return optax.apply_updates(p, u), s, l
    tok = jnp.zeros((B, T), jnp.int32)
    p = jax.eval_shape(f.init, K, tok); s = jax.eval_shape(opt.init, p)
    go(train_step, abstract(p), abstract(s), tok, tok)

elif name == "resnet_haiku":
    import haiku as hk, jmp
    policy = jmp.get_policy("params=float32,compute=bfloat16,output=float32")
    hk.mixed_precision.set_policy(hk.nets.ResNet18, policy)
    f = hk.transform_with_state(lambda x: hk.nets.ResNet18(100)(x, is_training=True))
    opt = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1, momentum=0.9, nesterov=True))
    def loss(p, st, x, y):
        logits, st = f.apply(p, st, None, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), st
    def update(p, st, s, x, y):
        (l, st), g = jax.value_and_grad(loss, has_aux=True)(p, st, x, y)
        u, s = opt.update(g, s, p)
        return optax.apply_updates(p, u), st, s, l
    x, y = jnp.zeros((4, 64, 64, 3)), jnp.zeros((4,), jnp.int32)
    p, st = jax.eval_shape(f.init, K, x); s = jax.eval_shape(opt.init, p)
    go(update, abstract(p), abstract(st), abstract(s), x, y)

elif name == "mixer_equinox":
    import equinox as eqx
    class Block(eqx.Module):
        n1: eqx.nn.LayerNorm; n2: eqx.nn.LayerNorm; patch: eqx.nn.MLP; chan: eqx.nn.MLP
        def __init__(self, k):
            a, b = jax.random.split(k)
            self.n1 = eqx.nn.LayerNorm((32, 49)); self.n2 = eqx.nn.LayerNorm((49, 32))
            self.patch = eqx.nn.MLP(49, 49, 128, 1, key=a); self.chan = eqx.nn.MLP(32, 32, 128, 1, key=b)
        def __call__(self, y):
            y = y + jax.vmap(self.patch)(self.n1(y)); y = y.T
            y = y + jax.vmap(self.chan)(self.n2(y)); return y.T
    class Mixer(eqx.Module):
        conv: eqx.nn.Conv2d; blocks: list; head: eqx.nn.Linear
        def __init__(self, k):
            ks = jax.random.split(k, 6)
            self.conv = eqx.nn.Conv2d(1, 32, 4, 4, key=ks[0]); self.blocks = [Block(k) for k in ks[1:5]]
            self.head = eqx.nn.Linear(32, 10, key=ks[5])
        def __call__(self, x):
            y = self.conv(x); y = y.reshape(32, 49)
            for b in self.blocks: y = b(y)
            return self.head(y.mean(-1))
    model = Mixer(K); opt = optax.lion(1e-3)
    params, static = eqx.partition(model, eqx.is_array)
    s = opt.init(params)
    def make_step(params, s, x, y):
        def loss(params):
            m = eqx.combine(params, static)
            return optax.softmax_cross_entropy_with_integer_labels(jax.vmap(m)(x), y).mean()
        l, g = jax.value_and_grad(loss)(params)
        u, s = opt.update(g, s, params)
        return optax.apply_updates(params, u), s, l
    go(make_step, params, s, jnp.zeros((32, 1, 28, 28)), jnp.zeros((32,), jnp.int32))

elif name == "flow64":
    import distrax
    D = 8
    def init(k):
        ks = jax.random.split(k, 12)
        return [dict(w1=jax.random.normal(ks[2 * i], (D, 64)) * .1, w2=jax.random.normal(ks[2 * i + 1], (64, 2 * D)) * .1) for i in range(6)]
    def log_prob(params, x):
        layers = []
        for i, p in enumerate(params):
            mask = (jnp.arange(D) % 2 == i % 2)
            def conditioner(z, p=p): return (jnp.tanh(z @ p["w1"]) @ p["w2"]).reshape(*z.shape, 2)
            def bijector(q): return distrax.ScalarAffine(shift=q[..., 0], log_scale=jnp.tanh(q[..., 1]))
            layers.append(distrax.MaskedCoupling(mask=mask, conditioner=conditioner, bijector=bijector))
        flow = distrax.Inverse(distrax.Chain(layers))
        base = distrax.Independent(distrax.Normal(jnp.zeros(D), jnp.ones(D)), 1)
        return distrax.Transformed(base, flow).log_prob(x)
    opt = optax.adam(optax.cosine_decay_schedule(1e-3, 1000))
    params = jax.tree.map(lambda a: a.astype(jnp.float32), init(K)); s = opt.init(params)
    def update(params, s, x):
        l, g = jax.value_and_grad(lambda p: -jnp.mean(log_prob(p, x)))(params)
        u, s = opt.update(g, s)
        return optax.apply_updates(params, u), s, l
    go(update, params, s, jnp.zeros((256, D), jnp.float32))

elif name == "seq2seq_linen":
    import flax.linen as nn
    class Seq(nn.Module):
        @nn.compact
        def __call__(self, src, dst):
            e = nn.Embed(512, 128)
            cell = lambda n: nn.RNN(nn.OptimizedLSTMCell(128), return_carry=True, name=n)
            c, _ = cell("encoder")(e(src)); _, y = cell("decoder")(e(dst), initial_carry=c)
            return nn.Dense(512)(y)
    m = Seq(); src = jnp.zeros((16, 24), jnp.int32)
    p = jax.eval_shape(m.init, K, src, src)["params"]
    opt = optax.adafactor(1e-3); s = jax.eval_shape(opt.init, p)
    def step(p, s, src, dst):
        def loss(p):
            logits = m.apply({"params": p}, src, dst)
            return optax.softmax_cross_entropy(logits, jax.nn.one_hot(dst, 512)).mean()
        l, g = jax.value_and_grad(loss)(p); u, s = opt.update(g, s, p)
        return optax.apply_updates(p, u), s, l
    go(step, abstract(p), abstract(s), src, src)

elif name == "vae_linen":
    import flax.linen as nn
    class VAE(nn.Module):
        @nn.compact
        def __call__(self, x, key):
            h = x
            for f in (32, 64): h = nn.relu(nn.GroupNorm(8)(nn.Conv(f, (3, 3), strides=2)(h)))
            h = h.reshape(h.shape[0], -1); mu, lv = nn.Dense(16)(h), nn.Dense(16)(h)
            z = mu + jnp.exp(lv / 2) * jax.random.normal(key, mu.shape)
            h = nn.relu(nn.Dense(7 * 7 * 64)(z)).reshape(-1, 7, 7, 64)
            for f in (32, 1): h = nn.ConvTranspose(f, (3, 3), strides=(2, 2))(nn.relu(h))
            return h, mu, lv
    m = VAE(); x = jnp.zeros((8, 28, 28, 1)); p = jax.eval_shape(m.init, K, x, K)["params"]
    opt = optax.rmsprop(1e-3); s = jax.eval_shape(opt.init, p)
    def train_step(p, s, key, x):
        def elbo(p):
            y, mu, lv = m.apply({"params": p}, x, key)
            bce = optax.sigmoid_binary_cross_entropy(y, x).sum((1, 2, 3))
            return jnp.mean(bce - 0.5 * jnp.sum(1 + lv - mu ** 2 - jnp.exp(lv), -1))
        l, g = jax.value_and_grad(elbo)(p); u, s = opt.update(g, s)
        return optax.apply_updates(p, u), s, l
    go(train_step, abstract(p), abstract(s), K, x)

elif name == "ppo_distrax":
    import distrax, flax.linen as nn
    class AC(nn.Module):
        @nn.compact
        def __call__(self, o):
            h = nn.tanh(nn.Dense(64)(nn.tanh(nn.Dense(64)(o)))); v = nn.tanh(nn.Dense(64)(o))
            return distrax.Categorical(logits=nn.Dense(6)(h)), nn.Dense(1)(v)[..., 0]
    m = AC(); T, B = 128, 16; o = jnp.zeros((T, B, 11)); p = jax.eval_shape(lambda k: m.init(k, o), K)["params"]
    opt = optax.chain(optax.clip_by_global_norm(.5), optax.adam(3e-4, eps=1e-5)); s = jax.eval_shape(opt.init, p)
    def gae(r, d, v, last):
        def back(c, x):
            r, d, v, nv = x; delta = r + .99 * nv * (1 - d) - v; c = delta + .99 * .95 * (1 - d) * c; return c, c
        nv = jnp.concatenate([v[1:], last[None]]); return jax.lax.scan(back, jnp.zeros(B), (r, d, v, nv), reverse=True)[1]
    def update(p, s, o, a, r, d, old, last):
        v = m.apply({"params": p}, o)[1]; adv = gae(r, d, v, last); ret = jax.lax.stop_gradient(adv + v)
        adv = jax.lax.stop_gradient((adv - adv.mean()) / (adv.std() + 1e-8))
        def loss(p):
            pi, v = m.apply({"params": p}, o); ratio = jnp.exp(pi.log_prob(a) - old)
            pg = -jnp.minimum(ratio * adv, jnp.clip(ratio, .8, 1.2) * adv).mean()
            return pg + .5 * ((v - ret) ** 2).mean() - .01 * pi.entropy().mean()
        def epoch(c, _):
            p, s = c; l, g = jax.value_and_grad(loss)(p); u, s = opt.update(g, s, p); return (optax.apply_updates(p, u), s), l
        (p, s), l = jax.lax.scan(epoch, (p, s), None, length=4)
        return p, s, l.mean()
    f = jnp.zeros((T, B)); go(update, abstract(p), abstract(s), o, jnp.zeros((T, B), jnp.int32), f, f, f, jnp.zeros(B))

elif name == "hmc_tfp":
    from tensorflow_probability.substrates import jax as tfp
    X, y = jnp.zeros((200, 12)), jnp.zeros(200)
    def sample(key, X, y, start):
        tfd = tfp.distributions
        def target(w): return tfd.Normal(0., 1.).log_prob(w).sum() + tfd.Bernoulli(logits=X @ w).log_prob(y).sum()
        k = tfp.mcmc.SimpleStepSizeAdaptation(tfp.mcmc.HamiltonianMonteCarlo(target, 0.05, 8), 100)
        return tfp.mcmc.sample_chain(200, start, kernel=k, num_burnin_steps=100, seed=key, trace_fn=lambda _, r: r.inner_results.is_accepted)
    go(sample, K, X, y, jnp.zeros(12))

elif name == "ode_equinox":
    import equinox as eqx
    f = eqx.nn.MLP(4, 4, 64, 2, activation=jax.nn.softplus, dtype=jnp.float32, key=K)
    params, static = eqx.partition(f, eqx.is_array); opt = optax.adabelief(1e-3); s = opt.init(params)
    ts = np.linspace(0, 1, 50)          # float64, so that the time is, too
    def solve(params, y0):
        f = eqx.combine(params, static); dt = ts[1] - ts[0]
        def rk4(y, t):
            h = jnp.asarray(dt); k1 = f(y.astype(jnp.float32)); k2 = f((y + h / 2 * k1).astype(jnp.float32))
            k3 = f((y + h / 2 * k2).astype(jnp.float32)); k4 = f((y + h * k3).astype(jnp.float32))
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4); return y, y
        return jax.lax.scan(rk4, y0.astype(jnp.float64), ts)[1]
    def fit(params, s, y0, target):
        l, g = jax.value_and_grad(lambda p: jnp.mean((jax.vmap(lambda y: solve(p, y))(y0) - target) ** 2))(params)
        u, s = opt.update(g, s); return optax.apply_updates(params, u), s, l
    go(fit, params, s, jnp.zeros((32, 4), jnp.float32), jnp.zeros((32, 50, 4), jnp.float32))

elif name == "moe_nnx":
    from flax import nnx
    D, E, T, V, L = 128, 8, 64, 500, 3
    class MoE(nnx.Module):
        def __init__(self, rngs):
            i = nnx.initializers.lecun_normal()
            self.router = nnx.Linear(D, E, rngs=rngs); self.up = nnx.Param(i(rngs.params(), (E, D, 4 * D))); self.down = nnx.Param(i(rngs.params(), (E, 4 * D, D)))
        def __call__(self, x):
            w, idx = jax.lax.top_k(jax.nn.softmax(self.router(x)), 2); w = w / w.sum(-1, keepdims=True)
            gate = (jax.nn.one_hot(idx, E) * w[..., None]).sum(-2)
            return jnp.einsum("bte,btef,efd->btd", gate, jax.nn.silu(jnp.einsum("btd,edf->btef", x, self.up[...])), self.down[...])
    class Block(nnx.Module):
        def __init__(self, rngs):
            self.n1, self.n2 = nnx.RMSNorm(D, rngs=rngs), nnx.RMSNorm(D, rngs=rngs)
            self.att = nnx.MultiHeadAttention(4, D, rngs=rngs, decode=False); self.moe = MoE(rngs)
        def __call__(self, x):
            x = x + self.att(self.n1(x), mask=nnx.make_causal_mask(jnp.zeros(x.shape[:2]))); return x + self.moe(self.n2(x))
    class LM(nnx.Module):
        def __init__(self, rngs):
            self.emb = nnx.Embed(V, D, rngs=rngs); self.blocks = nnx.List([Block(rngs) for _ in range(L)]); self.norm = nnx.RMSNorm(D, rngs=rngs)
        def __call__(self, t):
            x = self.emb(t)
            for b in self.blocks: x = nnx.remat(lambda b, x: b(x))(b, x)
            return self.emb.attend(self.norm(x))
    graph, state = nnx.split(LM(nnx.Rngs(0)))
    opt = optax.adamw(optax.warmup_cosine_decay_schedule(0., 1e-3, 10, 100))
    s = opt.init(state)
    def train(state, s, tokens, targets):
        def loss(state):
            logits = nnx.merge(graph, state)(tokens)
            return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()
        l, g = jax.value_and_grad(loss)(state); u, s = opt.update(g, s, state)
        return optax.apply_updates(state, u), s, l
    t = jnp.zeros((2, T), jnp.int32); go(train, state, s, t, t)

elif name == "decode":
    L, D, H, V, T = 8, 256, 8, 1000, 128
    def norm(x, g): return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * g
    def attention(q, k, v, pos):
        s = jnp.einsum("bhd,bthd->bht", q, k) / 8 ** 0.5
        return jnp.einsum("bht,bthd->bhd", jax.nn.softmax(jnp.where(jnp.arange(T) <= pos, s, -1e9)), v)
    def block(p, cache, x, pos):
        q, k, v = (y.reshape(-1, H, D // H) for y in jnp.split(norm(x, p["n1"]) @ p["qkv"], 3, -1))
        ks = jax.lax.dynamic_update_slice(cache["k"], k[:, None], (0, pos, 0, 0))
        vs = jax.lax.dynamic_update_slice(cache["v"], v[:, None], (0, pos, 0, 0))
        x = x + attention(q, ks, vs, pos).reshape(x.shape) @ p["o"]
        return x + jax.nn.silu(norm(x, p["n2"]) @ p["up"]) @ p["down"], dict(k=ks, v=vs)
    def decode(p, caches, token, pos):
        x, out = p["emb"][token], []
        for layer, cache in zip(p["layers"], caches):
            x, cache = block(layer, cache, x, pos); out.append(cache)
        return jnp.argmax(norm(x, p["n"]) @ p["emb"].T, -1), out
    a = lambda *s: S(s, jnp.float32)
    layer = dict(n1=a(D), n2=a(D), qkv=a(D, 3 * D), o=a(D, D), up=a(D, 4 * D), down=a(4 * D, D))
    c = a(2, T, H, D // H)
    go(decode, dict(emb=a(V, D), n=a(D), layers=[layer] * L), [dict(k=c, v=c)] * L, S((2,), jnp.int32), S((), jnp.int32))
