"""Throughput against a local endpoint, beside a bare loop that makes the same calls.

    python benchmarks/perf/throughput.py [--calls 5000] [--latency-ms 50] [--concurrency 64 256]

The endpoint is a process of its own. `assent evaluate`, five samples per item, and a bare httpx
loop over the same transport ask it the same number of times; the endpoint's own clock measures
first call to last answer, the processor time is that of each client less its start-up. Then ten
times the calls at no latency, as ten times the samples and as ten times the items, with the memory
of each further sample. Then once more with faults: ten per cent 429, five per cent 500, one per
cent hangs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

ASSENT = Path(sys.executable).parent / "assent"
SAMPLES = 5

SERVER = """
import asyncio, json, random, sys, time
from aiohttp import web
latency = float(sys.argv[1]) / 1000
faults = sys.argv[2] == "faults"
rng = random.Random(0)
seen = {"first": 0.0, "last": 0.0, "calls": 0}

async def complete(request):
    body = await request.json()
    now = time.perf_counter()
    seen["first"] = seen["first"] or now
    seen["calls"] += 1
    luck = rng.random() if faults else 1.0
    if luck < 0.01:
        await asyncio.sleep(600)
    await asyncio.sleep(latency)
    seen["last"] = time.perf_counter()
    if luck < 0.11:
        return web.Response(status=429)
    if luck < 0.16:
        return web.Response(status=500)
    return web.json_response({
        "choices": [{"message": {"content": "GOOD"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 1}, "model": body["model"]})

async def stats(request):
    found = {"calls": seen["calls"], "seconds": seen["last"] - seen["first"]}
    seen.update(first=0.0, last=0.0, calls=0)
    return web.json_response(found)

app = web.Application()
app.router.add_post("/v1/chat/completions", complete)
app.router.add_get("/stats", stats)

async def main():
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""

BARE = """
import asyncio, json, sys
import httpx
from httpx_aiohttp import AiohttpTransport
url, calls, concurrency = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 200}]}).encode()

async def main():
    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    transport = AiohttpTransport(limits=limits)
    headers = {"content-type": "application/json"}
    async with httpx.AsyncClient(transport=transport, headers=headers, timeout=60) as client:
        numbers = iter(range(calls))
        async def work():
            for _ in numbers:
                reply = await client.post(url, content=body)
                json.loads(reply.content)["choices"][0]["message"]["content"]
        await asyncio.gather(*(work() for _ in range(concurrency)))

asyncio.run(main())
"""


def make_benchmark(folder: Path, n_items: int) -> None:
    """A benchmark whose prompts are all different."""
    bearers = {f"b{i}": {"expression": f"statement number {i}"} for i in range(n_items)}
    items = [
        {"id": f"i{i}", "premises": [], "conclusions": [f"b{i}"], "analyst_verdicts": ["good"]}
        for i in range(n_items)
    ]
    document = {"id": "load", "bearers": bearers, "analysts": [{"id": "a"}], "items": items}
    (folder / "b.json").write_text(json.dumps(document))


class Measured:
    """Time, processor time and memory of one client."""

    def __init__(self, command: list[str], folder: Path, port: int) -> None:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        self.out = process.stdout.read()
        _, self.status, usage = os.wait4(process.pid, 0)
        self.wall = time.perf_counter() - started
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory_mb = usage.ru_maxrss / 1024
        self.served = fetch(f"http://127.0.0.1:{port}/stats")


def fetch(url: str) -> dict[str, Any]:
    """A JSON document from the endpoint."""
    import httpx

    found: dict[str, Any] = httpx.get(url, trust_env=False).json()
    return found


def serve(latency_ms: float, faults: bool) -> tuple["subprocess.Popen[str]", int]:
    """A local endpoint."""
    mode = "faults" if faults else "healthy"
    command = [sys.executable, "-c", SERVER, str(latency_ms), mode]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def evaluate(port: int, folder: Path, concurrency: int, *more: str) -> list[str]:
    """The command under test."""
    base = ["--model", "vllm/m", "--base-url", f"http://127.0.0.1:{port}/v1"]
    fixed = ["--engine", "embedded", "--format", "json", "--quiet"]
    return [str(ASSENT), "evaluate", str(folder / "b.json"), *base, *fixed,
            "--concurrency", str(concurrency), *more]  # fmt: skip


class Row(NamedTuple):
    """What was measured of one size of run."""

    calls: int
    memory_mb: float


def compare(items: int, samples: int, latency_ms: float, concurrency: int) -> Row:
    """One line: assent beside the bare loop."""
    calls = items * samples
    process, port = serve(latency_ms, faults=False)
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_benchmark(folder, items)
            url = f"http://127.0.0.1:{port}/v1/chat/completions"
            bare_start = Measured([sys.executable, "-c", BARE, url, "0", "1"], folder, port)
            bare = Measured(
                [sys.executable, "-c", BARE, url, str(calls), str(concurrency)], folder, port
            )
            command = evaluate(port, folder, concurrency, "--n-samples", str(samples))
            few = Measured([*command, "--limit", "10"], folder, port)
            ours = Measured(command, folder, port)
            again = Measured(command, folder, port)
        made = ours.served["calls"]
        wall = ours.served["seconds"] / bare.served["seconds"] * (calls / max(made, 1))
        cpu = ((ours.cpu - few.cpu) / made) / ((bare.cpu - bare_start.cpu) / calls)
        print(
            f"{items:>6} {samples:>5} {latency_ms:>4.0f} {concurrency:>5} "
            f"{bare.served['seconds']:>8.2f} {ours.served['seconds']:>8.2f} {wall:>6.2f} "
            f"{cpu:>9.2f} {ours.memory_mb:>8.0f} {again.wall:>8.2f} {again.served['calls']:>6}",
            flush=True,
        )
        return Row(calls, ours.memory_mb)
    finally:
        process.terminate()
        process.wait()


def further(small: Row, large: Row, what: str) -> None:
    """One line: the memory of each further sample."""
    kilobytes = (large.memory_mb - small.memory_mb) * 1024 / (large.calls - small.calls)
    print(f"memory per further sample, more {what}: {kilobytes:.2f} KB", flush=True)


def with_faults(calls: int, latency_ms: float, concurrency: int) -> None:
    """One line: nothing is lost when the endpoint misbehaves."""
    process, port = serve(latency_ms, faults=True)
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_benchmark(folder, calls)
            options = ("--n-samples", "1", "--timeout", "2")
            ours = Measured(evaluate(port, folder, concurrency, *options), folder, port)
            document = json.loads(ours.out)
        print(
            f"with faults: {document['calls']} calls for {calls} samples, "
            f"{document['failed']} failed, {ours.wall:.1f} s"
        )
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[64, 256])
    options = parser.parse_args()
    items = options.calls // SAMPLES
    print(" items  each   ms  conc   bare s   ours s  ratio  cpu/call  peak MB  rerun s  calls")
    for concurrency in options.concurrency:
        compare(items, SAMPLES, options.latency_ms, concurrency)
    fewest = options.concurrency[0]
    small = compare(items, SAMPLES, 0, fewest)
    further(small, compare(items, 10 * SAMPLES, 0, fewest), "samples per item")
    further(small, compare(10 * items, SAMPLES, 0, fewest), "items")
    with_faults(options.calls, options.latency_ms, fewest)


if __name__ == "__main__":
    main()
