namespace Raceway.Rings.Tests;

/// <summary>Producers × stages × waits × capacities, with aborts: exact counts, sums and orders.</summary>
public sealed class StressTests
{
    private const long Lane = 1_000_000_000;

    // Sees lanes of rising numbers; nothing twice, nothing out of order.
    private sealed class LaneChecker(int lanes, int[] spins) : IBatchHandler<long>
    {
        private readonly long[] _last = [.. Enumerable.Repeat(-1L, lanes)];
        private int _call;

        public long Count { get; private set; }

        public long Sum { get; private set; }

        public int Disorders { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            Cpu.Pause(spins[_call++ % spins.Length]);
            foreach (ref long item in batch)
            {
                ref long last = ref _last[item / Lane];
                if (item % Lane <= last) Disorders++;
                last = item % Lane;
                Sum += item;
                Count++;
            }
        }
    }

    public static TheoryData<ProducerKind, int, string, int, string> Cases()
    {
        var data = new TheoryData<ProducerKind, int, string, int, string>();
        int rotate = 0;
        foreach (Wait wait in Wait.All)
        {
            foreach (int producers in new[] { 1, 2, 4 })
            {
                foreach (int capacity in new[] { 2, 8, 64, 1024 })
                {
                    if (capacity < producers) continue;
                    string shape = new[] { "one", "chain", "fan", "diamond" }[rotate++ % 4];
                    data.Add(producers == 1 ? ProducerKind.Single : ProducerKind.Multi, producers, wait.Name, capacity, shape);
                    if (capacity >= 2 * producers) data.Add(ProducerKind.Sharded, producers, wait.Name, capacity, shape);
                }
            }
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Publish_ManyWithAborts_EveryStageSeesExactlyWhatWasCommitted(
        ProducerKind kind, int producers, string wait, int capacity, string shape)
    {
        int seed = HashCode.Combine(producers, wait.Length, capacity, shape.Length) & 0xFFFF;
        // A tiny ring hands over at every item, which costs a turn of the scheduler where cores are short.
        int each = (wait == "busy-spin" ? 60 : capacity <= 8 ? 160 : 2_000) / producers;
        var ring = Make.Ring(capacity, kind, Wait.All.Single(known => known.Name == wait), producers);
        List<LaneChecker> checkers = [];
        Stage Add(Dispatch dispatch, params Stage[] after)
        {
            checkers.Add(new LaneChecker(producers, [0, 0, seed % 50, 0]));
            return ring.Subscribe(checkers[^1], new StageOptions { After = after, Dispatch = dispatch });
        }

        Stage first = Add(Dispatch.Batch());
        if (shape == "chain") Add(Dispatch.Batch(min: Math.Min(3, capacity / 2)), Add(Dispatch.Single, first));
        if (shape == "fan") Add(Dispatch.Batch(max: 3));
        if (shape == "diamond") Add(Dispatch.Batch(), Add(Dispatch.Each(), first), Add(Dispatch.Batch(max: 7), first));
        ring.Start();
        (long Count, long Sum)[] totals = new (long, long)[producers];
        Task[] publishing = [.. Enumerable.Range(0, producers).Select(lane =>
        {
            Producer<long> producer = Make.Producer(ring);
            return Watchdog.Run(() =>
            {
                totals[lane] = Publish(producer, lane, each, new Random(seed + lane));
                producer.Dispose();
            });
        })];
        await Watchdog.Await(Task.WhenAll(publishing), ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        (long Count, long Sum) expected = (totals.Sum(total => total.Count), totals.Sum(total => total.Sum));
        Assert.All(checkers, checker =>
            Assert.Equal((expected.Count, expected.Sum, 0), (checker.Count, checker.Sum, checker.Disorders)));
        foreach (Stage stage in ring.Stages)
        {
            StageStatistics seen = stage.GetStatistics();
            Assert.Equal(ring.Claims.ClaimedThrough + 1, seen.Items + seen.Tombstones);
            Assert.Equal(seen.Batches, seen.CloseReasons.Sum());
            Assert.Equal(seen.Batches, seen.BatchSizes.Sum());
        }
    }

    private static (long Count, long Sum) Publish(Producer<long> producer, int lane, int items, Random random)
    {
        long count = 0, sum = 0;
        for (int number = 0; number < items;)
        {
            long item = lane * Lane + number;
            switch (random.Next(8))
            {
                case < 4:
                    producer.Publish(item);
                    (count, sum, number) = (count + 1, sum + item, number + 1);
                    break;
                case 4:
                    if (producer.TryPublish(item) != ClaimStatus.Done) break;
                    (count, sum, number) = (count + 1, sum + item, number + 1);
                    break;
                case 5:
                    if (producer.TryClaim(1, TimeSpan.FromMilliseconds(1), out Claim<long> timed) != ClaimStatus.Done) break;
                    timed.Slot = item;
                    timed.Commit();
                    (count, sum, number) = (count + 1, sum + item, number + 1);
                    break;
                default:
                    using (Claim<long> claim = producer.Claim(random.Next(1, Math.Clamp(producer.MaxClaim / 2, 1, 16) + 1)))
                    {
                        for (int i = 0; i < claim.Count; i++) claim[i] = item + i;
                        int kept = random.Next(0, claim.Count + 1);
                        if (random.Next(4) == 0) break;
                        claim.Commit(kept);
                        for (int i = 0; i < kept; i++) sum += item + i;
                        count += kept;
                        number += kept;
                    }

                    break;
            }
        }

        return (count, sum);
    }
}
