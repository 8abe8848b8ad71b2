using Raceway.Measuring;
using Raceway.Suites.ExecutorsSuite;

namespace Raceway.Lab.Tests.Suites.ExecutorsSuite;

public sealed class ExecutorContestantTests
{
    public static TheoryData<string> CaseNames => [.. ExecutorCases.All.Select(static one => one.Name)];

    [Theory]
    [MemberData(nameof(CaseNames))]
    public void Run_OfEveryContestant_IsVerified(string name)
    {
        foreach (IContestant contestant in ExecutorCases.All.Single(one => one.Name == name).Create())
        {
            Sample sample = contestant.Run(2_345, CancellationToken.None);
            Assert.True(sample.Verified, contestant.Name);
            Assert.Equal(2_345, sample.Operations);
        }
    }

    [Theory]
    [InlineData(Calling.RoundTrip)]
    [InlineData(Calling.Burst)]
    [InlineData(Calling.Window)]
    [InlineData(Calling.Many)]
    public void Run_WithAResultSpoilt_IsNotVerified(Calling calling)
    {
        var contestant = new ExecutorContestant<Order>("spoilt", static () => new Direct(), calling) { Corrupts = true };
        Assert.False(contestant.Run(2_345, CancellationToken.None).Verified);
        contestant.Corrupts = false;
        Assert.True(contestant.Run(2_345, CancellationToken.None).Verified);
    }

    private sealed class Direct : SingleCalls<Order>
    {
        public override ValueTask<long> ExecuteAsync(in Order message) => new(Order.Handle(in message));

        public override ValueTask DisposeAsync() => default;
    }
}
