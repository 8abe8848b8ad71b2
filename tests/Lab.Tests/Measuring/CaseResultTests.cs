using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>What is made of the rounds of a case, and what of a result file goes into a summary.</summary>
public sealed class CaseResultTests
{
    [Fact]
    public void Ratio_OneOfTheTwoWasWrong_IsNone()
    {
        CaseResult measured = Rounds.Case("case", Rounds.Rates("right", 10), Rounds.Rates("other", 5), Rounds.Wrong("wrong"));

        Assert.Equal(2, measured.Ratio("right", "other")!.Value.Median);
        Assert.Null(measured.Ratio("right", "wrong"));
        Assert.Null(measured.Ratio("wrong", "right"));
    }

    [Fact]
    public void Summary_OfSeveralFiles_KeepsCommandsAndQuickOfEach()
    {
        ResultFile merged = SampleResults.Everything() with
        {
            Options = new Dictionary<string, string>
            {
                ["a.json: command"] = "raceway compare", ["a.json: quick"] = "true", ["b.json: peer-packages"] = "true", ["b.json: json"] = "/home/x.json",
                ["command"] = "raceway run",
            },
        };

        ResultFile summary = ResultSummary.Of(merged);

        Assert.Equal(["a.json: command", "a.json: quick", "b.json: peer-packages", "command"], summary.Options.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(summary.Options, ResultSummary.Of(summary).Options);
    }
}
