using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>How fast does a stage find out what several producers have published?</summary>
/// <remarks>
/// The scan uses what vectors there are. Narrower ones are measured in runs of their own:
/// <c>--envVars DOTNET_EnableAVX512:0</c> leaves 256 bits, <c>DOTNET_EnableAVX2:0</c> 128, <c>DOTNET_EnableHWIntrinsic:0</c>
/// none.
/// </remarks>
public class StampScan
{
    private const int Capacity = 4096;

    // Not at the beginning of a vector, as a batch hardly ever is.
    private const long First = Capacity + 5;

    private Availability _stamps = null!;

    /// <summary>How many are published in one run.</summary>
    [Params(1, 16, 256, 2048)]
    public int Published { get; set; }

    /// <summary>Publishes them.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _stamps = new Availability(new RingMemory(CellPadding.None), Capacity, First);
        _stamps.Publish(First, First + Published - 1);
    }

    /// <summary>A stamp at a time.</summary>
    [Benchmark(Baseline = true)]
    public long OneByOne()
    {
        long sequence = First;
        while (sequence < First + Capacity && _stamps.IsPublished(sequence)) sequence++;
        return sequence - 1;
    }

    /// <summary>The ring's scan.</summary>
    [Benchmark]
    public long Scan() => _stamps.ReadableEnd(First);
}
