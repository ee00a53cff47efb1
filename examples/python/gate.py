"""Functions that wait for people in Slack before they run. Standard library only; Python 3.9 or newer.

    @track(name="send_invoice")
    def send_invoice(to, euros): ...
"""

import functools
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:3000").rstrip("/")
KEY = os.environ.get("COUNTERSIGN_API_KEY", "")
# Seconds that people have; the gate answers before they are over.
TIMEOUT_S = float(os.environ.get("COUNTERSIGN_TIMEOUT_S", "300"))
# One session for all calls of this process.
SESSION = str(uuid.uuid4())
MAX_SUMMARY = 1_000_000


class GateUnavailableError(RuntimeError):
    """The gate could not be asked. The function did not run."""


def post(path, body, timeout_s):
    request = urllib.request.Request(
        URL + path,
        data=json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + KEY, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        raise GateUnavailableError(f"The gate answered {error.code}: {error.read().decode()}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise GateUnavailableError(f"The gate at {URL} cannot be asked: {error}") from error
    if not isinstance(answer, dict) or answer.get("ok") is not True:
        raise GateUnavailableError(f"The gate answered something else than a decision: {answer}")
    return answer


def begin(name, summary):
    """Waits for the decision. Returns the call's id once it is approved."""
    question = {"session_id": SESSION, "name": name, "args_summary": summary, "timeout_s": TIMEOUT_S}
    answer = post("/agent/begin", question, TIMEOUT_S)
    # Nothing but True is an approval.
    if answer.get("approved") is not True:
        raise PermissionError(answer.get("error") or "The gate did not approve it.")
    return answer["call_id"]


def end(call_id, status, summary, duration_s):
    """Reports how the function ended. A lost report changes nothing that was done: it is told, and not raised."""
    report = {
        "session_id": SESSION,
        "call_id": call_id,
        "status": status,
        "duration_ms": duration_s * 1000,
        "result_summary": summary,
    }
    for pause_s in (0.5, 2, None):
        try:
            post("/agent/end", report, 10)
            return
        except GateUnavailableError as error:
            if pause_s is None:
                print(f"Report lost: {error}", file=sys.stderr)
            else:
                time.sleep(pause_s)


def summarize(value):
    return json.dumps(value, default=repr, ensure_ascii=False)[:MAX_SUMMARY]


def track(name=None):
    """Asks before each call of the function, and reports after."""

    def decorate(function):
        @functools.wraps(function)
        def tracked(*args, **kwargs):
            call_id = begin(name or function.__name__, summarize({"args": args, **kwargs} if args else kwargs))
            started = time.monotonic()
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                end(call_id, "error", repr(error), time.monotonic() - started)
                raise
            end(call_id, "ok", summarize(result), time.monotonic() - started)
            return result

        return tracked

    return decorate


@track(name="send_invoice")
def send_invoice(to, euros):
    return f"Invoice over {euros} € sent to {to}."


if __name__ == "__main__":
    print(send_invoice(to=sys.argv[1], euros=float(sys.argv[2])))
