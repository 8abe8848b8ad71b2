namespace Raceway.Rings.Tests;

/// <summary>Faults in parts of a split call, by every policy: nothing is lost, and what has returned is not called again.</summary>
public sealed class SplitFaultsTests
{
    private const int Last = 40;
    private const int Bad = 3;

    public static TheoryData<string, string> All
    {
        get
        {
            var all = new TheoryData<string, string>();
            foreach (string handler in new[] { "events", "batches", "marks", "single" })
                foreach (string policy in new[] { "skip", "dead-letter", "decide", "retry", "retry-skip", "stop", "detach" })
                    all.Add(handler, policy);
            return all;
        }
    }

    // The item fails when a part behind its own is done: that part is not handled again.
    [Theory]
    [MemberData(nameof(All))]
    public async Task OneItemFails_LaterPartsAreDone(string handler, string policyName)
    {
        using var later = new ManualResetEventSlim();
        var dead = new List<long>();
        int failures = 0;
        bool once = policyName == "retry";
        FaultPolicy policy = policyName switch
        {
            "skip" => FaultPolicy.Skip,
            "dead-letter" => FaultPolicy.DeadLetter((ref long item, in FaultContext context) => dead.Add(item)),
            "decide" => FaultPolicy.Decide((ref long item, in FaultContext context) =>
            {
                Assert.Equal((Bad, (long)Bad), (item, context.Sequence));
                return context.Attempt < 2 ? FaultAction.Retry : FaultAction.Skip;
            }),
            "retry" => FaultPolicy.Retry(1),
            "retry-skip" => FaultPolicy.Retry(2, TimeSpan.FromMilliseconds(1), FaultPolicy.Skip),
            "detach" => FaultPolicy.Detach,
            _ => FaultPolicy.Stop,
        };
        var options = new StageOptions { OnFault = policy, Dispatch = handler == "single" ? Dispatch.Single : Dispatch.Batch() };
        await using Crowd crowd = handler == "events"
            ? new Crowd(crowd => new EventLambda<long>((ref long item, long _, bool _) =>
            {
                Handle(crowd, item);
                crowd.End(item);
                NoteLater(item);
            }), options)
            : new Crowd(crowd => new BatchLambda<long>(batch =>
            {
                for (int i = 0; i < batch.Count; i++)
                {
                    Handle(crowd, batch[i]);
                    if (handler != "marks") continue;
                    crowd.End(batch[i]);
                    batch.Complete(i + 1);
                }

                if (handler != "marks")
                    foreach (ref long item in batch) crowd.End(item);
                NoteLater(batch[0]);
            }), options);

        DrainResult result = await crowd.Run(Last);

        StageStatistics seen = crowd.Stage.GetStatistics();
        Assert.InRange(seen.Split, 1, long.MaxValue);
        Assert.All(crowd.Done, count => Assert.InRange(count, 0, 1));
        if (policyName is "stop" or "detach")
        {
            // Another stage follows, so there is no side branch to leave.
            Assert.Equal(DrainStatus.Faulted, result.Status);
            Assert.Equal(Bad - 1, crowd.Stage.Position);
            Assert.True(crowd.Done.Sum() > Bad);
            Assert.Equal(0, crowd.Done[Bad]);
            return;
        }

        Assert.True(result.IsDrained);
        Assert.Equal(Make.Range(0, Last), crowd.Behind.Items);
        long[] missing = [.. Make.Range(0, Last).Where(item => crowd.Done[item] == 0)];
        Assert.Equal(once ? [] : [Bad], missing);
        Assert.Equal((Last + 1 - missing.Length, missing.Length), (seen.Items, seen.Skipped));
        Assert.Equal(policyName == "dead-letter" ? [Bad] : [], dead);
        Assert.Equal(dead.Count, seen.DeadLettered);

        void Handle(Crowd crowd, long item)
        {
            Crowd.Begin(item);
            if (item != Bad) return;
            later.Wait();
            if (Interlocked.Increment(ref failures) == 1 || !once) throw new FormatException($"item {item}");
        }

        void NoteLater(long first)
        {
            if (first > Bad) later.Set();
        }
    }

    // Whatever fails and however calls are cut: what is not passed over has returned exactly once.
    [Fact]
    public async Task ManyItemsFail_AllOthersAreHandledOnce()
    {
        for (int seed = 1; seed <= 60; seed++)
        {
            var random = new Random(seed);
            bool[] bad = [.. Enumerable.Range(0, 64).Select(item => item > 0 && random.Next(8) == 0)];
            bool marks = random.Next(2) == 0;
            int retries = random.Next(3);
            int max = random.Next(1, 24);
            int last = random.Next(20, 63);
            await using var crowd = new Crowd(
                crowd => new BatchLambda<long>(batch =>
                {
                    Crowd.Begin(batch[0]);
                    for (int i = 0; i < batch.Count; i++)
                    {
                        if (bad[batch[i]]) throw new FormatException();
                        Thread.SpinWait((int)batch[i] * 20);
                        if (!marks) continue;
                        crowd.End(batch[i]);
                        batch.Complete(i + 1);
                    }

                    if (marks) return;
                    foreach (ref long item in batch) crowd.End(item);
                }),
                new StageOptions
                {
                    Dispatch = Dispatch.Batch(max),
                    OnFault = retries == 0 ? FaultPolicy.Skip : FaultPolicy.Retry(retries, FaultPolicy.Skip),
                });
            Assert.True((await crowd.Run(last)).IsDrained, $"seed {seed}");
            StageStatistics seen = crowd.Stage.GetStatistics();
            int failing = bad.Take(last + 1).Count(static one => one);
            for (int item = 0; item <= last; item++)
                Assert.True(crowd.Done[item] == (bad[item] ? 0 : 1), $"seed {seed}: item {item} was done {crowd.Done[item]} times");
            Assert.Equal((last + 1 - failing, failing), (seen.Items, seen.Skipped));
            Assert.Equal(Make.Range(0, last), crowd.Behind.Items);
        }
    }
}
