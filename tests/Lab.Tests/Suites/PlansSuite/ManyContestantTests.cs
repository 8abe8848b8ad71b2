using Raceway.Measuring;
using Raceway.Suites.PlansSuite;

namespace Raceway.Lab.Tests.Suites.PlansSuite;

public sealed class ManyContestantTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Run_APartThatIsWrong_IsNotVerified(bool wrong)
    {
        ChannelPlanContestant[] parts = [new(0), new(0), new(0)];
        if (wrong) parts[1].CorruptItem = 5;
        using var many = new ManyContestant("many", parts);

        Sample round = many.Run(1_000, TestContext.Current.CancellationToken);

        Assert.Equal((999L, !wrong), (round.Operations, round.Verified));
    }
}
