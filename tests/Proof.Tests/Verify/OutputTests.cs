using Raceway.Verify;
using Raceway.Verify.Reporting;
using Raceway.Verify.Tiers;

namespace Raceway.Proof.Tests.Verify;

/// <summary>What becomes of the counts, and of the output of the tiers.</summary>
public sealed class OutputTests
{
    [Fact]
    public void Line_AllCounted_SaysAll()
    {
        var counts = Enum.GetValues<Counted>().Select(static (counted, i) => $"{counted} {1_000_000 * (i + 1)}");
        Assert.Equal(
            "proof: 1,000,000 states, 2,000,000 interleavings, 3,000,000 operations, 4,000,000 faults, 5,000,000 bad inputs, 6,000,000 calls of misuse, 34 of 35 mutants killed",
            new ProofLine([.. counts, "Mutants 34/35"]).ToString());
    }

    [Fact]
    public void Line_SeveralOfOne_AreSummed() =>
        Assert.Contains(
            " 12 operations, ",
            new ProofLine(["Operations 5", "Operations 7", ""]).ToString(),
            StringComparison.Ordinal);

    [Fact]
    public void Line_ProgramsNotRun_SaysWhichAtItsEnd() => Assert.EndsWith(
        ", 34 of 35 mutants killed, arm64 not run, native samples not run",
        new ProofLine(["NotRun native samples", "NotRun arm64", "Mutants 34/35", "NotRun arm64"]).ToString(),
        StringComparison.Ordinal);

    [Fact]
    public void Line_NothingCounted_SaysSo() => Assert.Equal(
        "proof: states not run, interleavings not run, operations not run, faults not run, bad inputs not run, calls of misuse not run, mutants not run",
        new ProofLine([]).ToString());

    [Theory]
    [InlineData("Stars 3")]
    [InlineData("States")]
    [InlineData("States x")]
    [InlineData("States -1")]
    [InlineData("Mutants 3")]
    public void Line_NoCount_IsRefused(string line) =>
        Assert.Throws<VerifyException>(() => new ProofLine([line]));

    [Theory]
    [InlineData(0, "Passed!  - Failed:     0, Passed:   366, Skipped:     0, Total:   366", VerdictKind.Passed, "366 passed")]
    [InlineData(0, "No test matches the given testcase filter `x`", VerdictKind.Unclear, "no test was run")]
    [InlineData(1, "  Failed A.B.C(x: 1) [12 ms]\n  Error Message:", VerdictKind.Failed, "A.B.C")]
    [InlineData(1, "[xUnit.net 00:00:01.08]     A.B.C(x: 1) [FAIL]\nTest host process crashed", VerdictKind.Failed, "A.B.C")]
    [InlineData(1, "The active test run was aborted. Reason: Test host process crashed", VerdictKind.Failed, "crash")]
    [InlineData(1, "[xUnit.net 00:01:02.21]     [FATAL ERROR] Xunit.Sdk.TestPipelineException", VerdictKind.Failed, "crash")]
    [InlineData(1, "The SDK was not found", VerdictKind.Unclear, "exit code 1")]
    internal void Read_Output_IsUnderstood(int exitCode, string output, VerdictKind kind, string says)
    {
        Verdict verdict = TestTier.Read(new Execution(exitCode, output, Hung: false, Seconds: 1));
        Assert.Equal((kind, says), (verdict.Kind, verdict.Test));
    }

    [Theory]
    [InlineData(0, "1,200 interleavings, 0 failed", VerdictKind.Passed, "passed")]
    [InlineData(0, "0 interleavings, 0 failed", VerdictKind.Unclear, "nothing was explored")]
    [InlineData(1, "x\nreplay: dotnet run -- replay publish/two Relaxed 2 0,1", VerdictKind.Failed, "publish/two Relaxed")]
    [InlineData(1, "Cannot load", VerdictKind.Unclear, "exit code 1")]
    [InlineData(2, "list | run", VerdictKind.Unclear, "exit code 2")]
    internal void Read_Explored_IsUnderstood(int exitCode, string output, VerdictKind kind, string says)
    {
        Verdict verdict = ExplorerTier.Read(new Execution(exitCode, output, Hung: false, Seconds: 1));
        Assert.Equal((kind, says), (verdict.Kind, verdict.Test));
    }

    [Fact]
    public void Read_Hung_IsAFailure() =>
        Assert.Equal("hang", TestTier.Read(new Execution(-1, "", Hung: true, Seconds: 1)).Test);
}
