import re

from warpgrade.handouts import markdown


def test_formulas_become_mathml() -> None:
    html = markdown.to_html("The sum $a_i$ is\n\n$$\\sum_p a_p$$\n").html
    assert html.count("<math ") == 2
    assert html.count('display="block"') == 1
    assert "$" not in html


def test_a_dollar_in_code_or_behind_a_backslash_stays() -> None:
    html = markdown.to_html("costs \\$5, `$x$`, alone $ here\n").html
    assert "<math" not in html
    assert "<code>$x$</code>" in html and "$5" in html


def test_tables_can_be_scrolled_from_the_keyboard() -> None:
    html = markdown.to_html('## Which "tile"?\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n').html
    assert '<div class="scroll" tabindex="0" role="group" aria-label="Which &#34;tile&#34;?"><table>' in html
    assert "</table></div>" in html


def test_the_corner_of_a_table_is_no_heading() -> None:
    html = markdown.to_html("| | b |\n|---|--:|\n| 1 | 2 |\n").html
    assert html.count("<th") == 2 and "<td></td>" in html  # of them one is <thead>


def test_code_scrolls_from_the_keyboard() -> None:
    assert markdown.to_html("```text\na\n```\n").html.startswith('<pre tabindex="0" class="short"><code')
    long = "a\n" * 13
    assert markdown.to_html(f"```text\n{long}```\n").html.startswith('<pre tabindex="0"><code')


def test_a_size_stays_on_one_line() -> None:
    assert "16\u00a0×\u00a016 of m × n" in markdown.to_html("16 × 16 of m × n\n").html


def test_headings_have_ids_of_their_own() -> None:
    document = markdown.to_html("## Which tile?\n\n## Which `tile`?\n\n### ?!\n")
    assert [heading.id for heading in document.headings] == ["which-tile", "which-tile-2", "part"]
    assert '<h2 id="which-tile-2">' in document.html


def test_code_is_coloured_and_escaped() -> None:
    html = markdown.to_html("```cuda\n__global__ void f(int a) { if (a < 1) return; }\n```\n").html
    assert "&lt;" in html and '<span class="k' in html


def test_an_unknown_language_is_plain_text() -> None:
    assert "a &lt; b" in markdown.to_html("```klingon\na < b\n```\n").html


TABLE = "| a | b |\n|---|--:|\n| 1 | 2 |\n"


def test_a_paragraph_above_a_table_is_its_caption() -> None:
    html = markdown.to_html(f"## Head\n\nTable: What `x` *costs*\nhere\n\n{TABLE}\nText.\n").html
    assert '<caption class="numbered">What <code>x</code> <em>costs</em>\nhere</caption>' in html
    assert 'aria-label="What x costs here"' in html and "Table:" not in html and "<p>Text.</p>" in html


def test_without_one_the_heading_serves() -> None:
    html = markdown.to_html(f"## One `head`\n\nText\n\n{TABLE}\nTable: no table follows\n").html
    assert '<caption class="numbered">One <code>head</code></caption>' in html
    assert "<p>Table: no table follows</p>" in html
    assert "<caption" not in markdown.to_html(TABLE).html


def test_links_to_pages_that_a_course_leaves_out_are_plain_words() -> None:
    text = markdown.to_html("[one](01-one.html), [two](02-two.html), [here](#part)\n")
    html = markdown.without_dead_links(text, ["02-two"]).html
    assert html == '<p>one, <a href="02-two.html">two</a>, <a href="#part">here</a></p>\n'


def test_a_number_stays_with_its_unit_but_code_stays_as_it_is() -> None:
    html = markdown.to_html("0.8 % of 5 GB/s: `9 % 4`\n\n```cuda\nint i = 9 % 4;  // 2 × 2\n```\n").html
    assert "0.8\u00a0% of 5\u00a0GB/s: <code>9 % 4</code>" in html
    assert html.count("\u00a0") == 2


def test_a_long_line_of_code_goes_on_below_its_beginning() -> None:
    words = "word " * 20
    code = f"short\n  call({words});\n// Problem   {words}\n//           {words}\n"
    html = markdown.to_html(f"```cuda\n{code}```\n\n```text\n{code}```\n").html
    assert re.findall(r'<span class="long" style="--hang: (\d+)ch">', html) == ["6", "13", "13"]
    (cuda, text) = re.findall(r"<code[^>]*>(.*?)</code>", html, re.DOTALL)
    assert re.sub("<[^>]*>", "", cuda) == text == code


def test_code_in_plain_text_is_code() -> None:
    text = markdown.plain("`a[i] | b` of __shared__ float x[2] * 3")
    html = markdown.to_html(f"| a |\n|---|\n| {text} |\n").html
    assert "<td><code>a[i] | b</code> of __shared__ float x[2] * 3</td>" in html
