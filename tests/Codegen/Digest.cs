using System.Runtime.Intrinsics;
using Raceway.Rings;

namespace Raceway.Codegen;

/// <summary>
/// A run of several producers whose result is the same every time: what the widths of vectors change must not show in it.
/// </summary>
internal static class Digest
{
    private const int Capacity = 256;

    /// <summary>Prints the widths there are, and then a digest of what two stages saw.</summary>
    public static void Print()
    {
        Console.WriteLine(
            $"vectors 512: {Vector512.IsHardwareAccelerated}, 256: {Vector256.IsHardwareAccelerated}, "
            + $"128: {Vector128.IsHardwareAccelerated}");
        foreach (StampLayout stamps in Enum.GetValues<StampLayout>())
        {
            int stride = stamps == StampLayout.InSlot ? 64 : 0;
            Console.WriteLine($"{stamps} {Of(ProducerKind.Multi, stamps, stride)}");
        }

        Console.WriteLine($"Sharded {Of(ProducerKind.Sharded, StampLayout.Separate, 0)}");
    }

    private static string Of(ProducerKind kind, StampLayout stamps, int stride)
    {
        var ring = new RingBuffer<long>(Capacity, new RingOptions<long>
        {
            Producers = kind, MaxProducers = 4, Stamps = stamps, SlotStride = stride,
        });
        ulong digest = 14_695_981_039_346_656_037;
        long items = 0;
        void Add(long value) => digest = (digest ^ (ulong)value) * 1_099_511_628_211;
        var options = new StageOptions { Drive = Drive.Caller, Dispatch = Dispatch.Batch(max: 100) };
        Stage first = ring.Subscribe(
            new Batches(batch =>
            {
                Add(batch.Sequence);
                Add(batch.Count);
                items += batch.Count;
            }),
            options);
        Stage second = ring.Subscribe((ref long item) => Add(item), options with { After = [first] });
        Producer<long>[] producers =
        [
            .. Enumerable.Range(0, 4)
                .Select<int, Producer<long>>(_ => kind == ProducerKind.Multi ? ring.CreateMultiProducer() : ring.CreateProducer()),
        ];
        ulong state = 1;
        int Draw(int below)
        {
            // A generator of our own: the runtime's may change from version to version.
            state = state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407;
            return (int)((state >> 33) % (ulong)below);
        }

        for (int round = 0; round < 20_000; round++)
        {
            Producer<long> producer = producers[Draw(4)];
            if (producer.TryClaim(1 + Draw(20), out Claim<long> claim) == ClaimStatus.Done)
            {
                for (int i = 0; i < claim.Count; i++) claim[i] = round * 100L + i;
                // Some are given up, whole or in part, and leave tombstones.
                if (Draw(5) == 0) claim.Commit(Draw(claim.Count + 1));
                else claim.Commit();
            }

            if (Draw(3) != 0) continue;
            first.Step();
            if (Draw(2) == 0) second.Step();
        }

        while (first.Step().Kind == StepKind.Progressed || second.Step().Kind == StepKind.Progressed)
        {
        }

        return $"{items} items, {first.GetStatistics().Tombstones} given up, {digest:x16}";
    }

    private sealed class Batches(Batches.Body body) : IBatchHandler<long>
    {
        public delegate void Body(Batch<long> batch);

        public void OnBatch(Batch<long> batch) => body(batch);
    }
}
