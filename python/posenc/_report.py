# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An HTML page about one compilation: what became of each op, and the IR of every phase."""

from __future__ import annotations

import collections
import pathlib
import re

from ._compiler import Module
from ._errors import Error
from ._files import write_file
from ._remarks import group_by_op, parse_remarks

_PHASES = {
    "input": "the graph as it was given",
    "import": "attention and encodings are ops",
    "simplify": "rotations compose, constant terms drop",
    "fuse": "encodings are formulas inside attention",
    "plan": "buffers, bounds of visible keys, schedules",
    "codegen": "the LLVM dialect",
}

_TEMPLATE = """{% macro sentences(said) %}{% for one in said %}<p>{{ one }}</p>{% endfor %}{% endmacro -%}
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>posenc: {{ title }}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b;
       max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
pre { background: #f5f5f2; padding: 1rem; overflow-x: auto; font: 13px/1.4 ui-monospace, monospace }
table { border-collapse: collapse }
td, th { padding: .2rem 1rem .2rem 0; text-align: left; vertical-align: top }
.found td, .found th { border-top: 1px solid #ddd; padding: .4rem .8rem .4rem 0;
                       overflow-wrap: anywhere; font-size: 14px }
.found td:first-child { white-space: nowrap }
td p { margin: 0 0 .4rem } .missed { color: #7c4a03 }
summary { cursor: pointer; font-weight: 600; margin: .6rem 0 }
.posenc { color: #9a3412; font-weight: 600 } small { color: #666; font-weight: 400 }
</style></head><body>
<h1>{{ title }}</h1>
<h2>Attention and encodings</h2>
{% if found %}<table class="found">
<tr><th>op</th><th>in the model</th><th>what became of it</th><th>what was not done, and why</th>
<th>tables</th><th>kernels</th></tr>
{% for subject in found %}<tr><td class="posenc">{{ subject.op }}</td><td>{{ subject.place }}</td>
<td>{{ sentences(subject.found + subject.done) }}</td>
<td class="missed">{{ sentences(subject.missed) }}</td>
<td>{{ sentences(subject.tables) }}</td><td>{{ sentences(subject.schedules) }}</td></tr>
{% endfor %}</table>{% else %}<p>None was found.</p>{% endif %}
{% if near %}<h2>What was nearly one, or stays beside it</h2>
<table class="found"><tr><th>op</th><th>in the model</th><th>what was done</th>
<th>what was not done, and why</th></tr>
{% for subject in near %}<tr><td>{{ subject.op }}</td><td>{{ subject.place }}</td>
<td>{{ sentences(subject.found + subject.done) }}</td>
<td class="missed">{{ sentences(subject.missed) }}</td></tr>
{% endfor %}</table>{% endif %}
<details><summary>Remarks <small>as --remarks prints them</small></summary>
<pre>{{ remarks }}</pre></details>
<h2>Operations after each phase</h2>
<table><tr><th>dialect</th>{% for phase in phases %}<th>{{ phase.name }}</th>{% endfor %}</tr>
{% for dialect in dialects %}<tr><td>{{ dialect }}</td>
{% for phase in phases %}<td>{{ phase.counts.get(dialect, '') }}</td>{% endfor %}</tr>
{% endfor %}</table>
<h2>IR</h2>
{% for phase in phases %}<details{% if phase.name == 'fuse' %} open{% endif %}>
<summary>{{ phase.name }} <small>{{ phase.description }}</small></summary>
<pre>{{ phase.html }}</pre></details>
{% endfor %}
</body></html>
"""
_OPERATION = re.compile(r"^\s*(?:%[^=]*= )?\"?([a-z_]\w*)\.[a-z_]\w*", re.MULTILINE)


def write_report(module: Module, title: str, path: pathlib.Path) -> None:
    """Compiles with all snapshots kept and writes the page."""
    try:
        import jinja2
        import markupsafe
    except ModuleNotFoundError as error:
        raise Error(f"the report needs {error.name}: pip install 'posenc[report]'") from error
    phases = []
    for name, text in module.phases().items():
        html = re.sub(
            r"(posenc\.\w+)", r'<span class="posenc">\1</span>', str(markupsafe.escape(text))
        )
        phases.append(
            {
                "name": name,
                "description": _PHASES.get(name, ""),
                "html": markupsafe.Markup(html),
                "counts": collections.Counter(_OPERATION.findall(text)),
            }
        )
    dialects = sorted(set().union(*(phase["counts"] for phase in phases)))
    template = jinja2.Environment(autoescape=True).from_string(_TEMPLATE)
    remarks = module.remarks()
    subjects = group_by_op(parse_remarks(remarks))
    page = template.render(
        title=title,
        found=[subject for subject in subjects if subject.is_posenc],
        near=[subject for subject in subjects if not subject.is_posenc],
        remarks=remarks,
        phases=phases,
        dialects=dialects,
    )
    write_file(path, page.encode())
