using System.Net;
using System.Text;

namespace Raceway.Lab.Reporting;

/// <summary>The body of a page while it grows: the only place that text from files becomes HTML.</summary>
internal sealed class HtmlBody
{
    private readonly StringBuilder _html = new();
    private int _ids;

    /// <summary>Charts that the page's script is to draw.</summary>
    public List<(string Id, ReportChart Chart)> Charts { get; } = [];

    /// <summary>A name that no other element has.</summary>
    public string NextId(string prefix) => $"{prefix}-{++_ids}";

    /// <summary>Appends markup: what is interpolated is escaped.</summary>
    public HtmlBody Add(ref Markup markup)
    {
        _html.Append(markup.ToString());
        return this;
    }

    /// <inheritdoc/>
    public override string ToString() => _html.ToString();

    /// <summary>Markup with text in its holes: a name that reads like an element stays a name.</summary>
    [System.Runtime.CompilerServices.InterpolatedStringHandler]
    public ref struct Markup(int literalLength, int formattedCount)
    {
        private readonly StringBuilder _text = new(literalLength + (16 * formattedCount));

        /// <summary>Takes markup as it is written in the source.</summary>
        public readonly void AppendLiteral(string markup) => _text.Append(markup);

        /// <summary>Takes text, escaped for content and for quoted attributes.</summary>
        public readonly void AppendFormatted(string? text) => _text.Append(WebUtility.HtmlEncode(text));

        /// <summary>Takes a number.</summary>
        public readonly void AppendFormatted(int number) =>
            _text.Append(number.ToString(System.Globalization.CultureInfo.InvariantCulture));

        /// <summary>Takes a figure with two decimals, as places in a drawing need.</summary>
        public readonly void AppendFormatted(double number) =>
            _text.Append(number.ToString("0.##", System.Globalization.CultureInfo.InvariantCulture));

        /// <inheritdoc/>
        public override readonly string ToString() => _text.ToString();
    }
}
