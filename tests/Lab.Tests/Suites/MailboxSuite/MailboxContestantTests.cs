using Raceway.Measuring;
using Raceway.Suites.MailboxSuite;

namespace Raceway.Lab.Tests.Suites.MailboxSuite;

public sealed class MailboxContestantTests
{
    // Of each kind one: what differs else is how many.
    private static readonly string[] s_cases =
    [
        "t10/n1000/sum", "t15/n100000/sum/b64", "t1/n100000/sha512", "t10/n1000/bytes-10", "t1/n1000/carried-1000/b256",
        "t10/n1000/carried-10/b256", "t20/n1000/sum/own-posters", "t15/n100000/sum/b1024/own-posters", "t20/n1000/sum/start-timed",
    ];

    public static TheoryData<string> CaseNames => [.. s_cases];

    [Theory]
    [MemberData(nameof(CaseNames))]
    public void Run_OfEveryContestant_IsVerified(string name)
    {
        foreach (IContestant contestant in MailboxCases.All.Single(one => one.Name == name).Create())
            Assert.True(contestant.Run(6_000, CancellationToken.None).Verified, contestant.Name);
    }

    [Fact]
    public void Expected_OfCarriedBytes_CountsEachOfThem()
    {
        var shape = new MailboxShape(1, 300, ActorWork.Bytes) { Bytes = 7, Carried = true };
        // 256 and more begin again at 0 in their lowest byte.
        Assert.Equal((300 * 299 / 2) + (7 * ((255 * 256 / 2) + (43 * 44 / 2))), Actor.Expected(shape, [300]));
        Assert.Equal(300 * 299 / 2, Actor.Expected(shape with { Carried = false }, [300]));
    }
}
