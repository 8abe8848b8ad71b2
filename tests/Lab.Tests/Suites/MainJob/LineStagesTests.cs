using System.Text;
using Raceway.Rings;
using Raceway.Suites.MainJob;
using Raceway.Testing;

namespace Raceway.Lab.Tests.Suites.MainJob;

public sealed class LineStagesTests
{
    [Theory]
    [InlineData("", LineKind.Blank, 0, 0)]
    [InlineData(" \t\r", LineKind.Blank, 3, 0)]
    [InlineData("  text", LineKind.Text, 2, 't')]
    [InlineData("<doc>", LineKind.Tag, 0, '<')]
    [InlineData("<", LineKind.Tag, 0, '<')]
    [InlineData("</doc>", LineKind.CloseTag, 0, '<')]
    [InlineData("    <member name=\"T:A.B\">", LineKind.Type, 4, '<')]
    [InlineData("    <member name=\"M:A.B\">", LineKind.Method, 4, '<')]
    [InlineData("    <member name=\"P:A.B\">", LineKind.Property, 4, '<')]
    [InlineData("    <member name=\"F:A.B\">", LineKind.Field, 4, '<')]
    [InlineData("    <member name=\"E:A.B\">", LineKind.Event, 4, '<')]
    [InlineData("    <member name=\"N:A.B\">", LineKind.Tag, 4, '<')]
    [InlineData("    <member name=\"T", LineKind.Tag, 4, '<')]
    public void Parse_Line_FindsKindIndentAndFirstByte(string text, LineKind kind, int indent, int lead)
    {
        Line line = LineOf(text);

        LineStages.Parse(ref line);

        Assert.Equal((kind, indent, lead), (line.Kind, line.Indent, line.Lead));
    }

    [Fact]
    public void Parse_DeepIndent_IsCapped()
    {
        Line line = LineOf(new string(' ', 1000) + "x");

        LineStages.Parse(ref line);

        Assert.Equal(255, line.Indent);
    }

    [Fact]
    public void Hash_Line_IsSha512OfItsBytes()
    {
        var item = new HashedLine { Line = LineOf("abc") };

        LineStages.Hash(ref item);

        Assert.Equal(
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            Convert.ToHexStringLower(item.Digest));
    }

    [Fact]
    public void Items_Size_IsAsDocumented()
    {
        Assert.Equal(32, System.Runtime.CompilerServices.Unsafe.SizeOf<Line>());
        Assert.Equal(96, System.Runtime.CompilerServices.Unsafe.SizeOf<HashedLine>());
    }

    [Fact]
    public void Add_EachOrSpan_GivesTheSame()
    {
        Line[] lines = [LineOf("<doc>"), LineOf(""), LineOf("text"), LineOf("</doc>")];
        LineStages.Parse(lines.AsSpan());
        var each = new LineTotals(target: 4);
        var span = new LineTotals(target: 4);

        foreach (ref Line line in lines.AsSpan())
        {
            each.Add(ref line);
        }

        span.Add(lines.AsSpan(0, 3));
        Assert.Equal(0, span.FinishedAt);
        span.Add(lines.AsSpan(3));

        Assert.Equal((each.Lines, each.Bytes, each.Fold), (span.Lines, span.Bytes, span.Fold));
        Assert.Equal(each.Kinds.ToArray(), span.Kinds.ToArray());
        Assert.NotEqual(0, each.FinishedAt);
        Assert.NotEqual(0, span.FinishedAt);
    }

    [Fact]
    public void Stages_AnyBatch_GiveTheSame() => DispatchInvariance.Check(
        [.. Enumerable.Range(0, 20).Select(static i => new HashedLine { Line = LineOf(i % 3 == 0 ? "<doc>" : new string('x', 40 * i)) })],
        static trial =>
        {
            var totals = new LineTotals(target: 20);
            trial.Pipeline.Stage("parse", new Spans(LineStages.Parse)).Stage("hash", new Spans(LineStages.Hash)).Stage("totals", new Spans(totals.Add));
            return totals;
        },
        static totals => (totals.Lines, totals.Bytes, totals.Fold, totals.Kinds.ToArray()));

    private sealed class Spans(Action<Span<HashedLine>> work) : IBatchHandler<HashedLine>
    {
        public void OnBatch(Batch<HashedLine> batch)
        {
            work(batch.First);
            if (!batch.Second.IsEmpty) work(batch.Second);
        }
    }

    private static Line LineOf(string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        return new Line { Chunk = new Chunk(bytes, owner: null), Length = bytes.Length, Terminator = 1 };
    }
}
