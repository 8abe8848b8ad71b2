using System.Runtime.InteropServices;

namespace Raceway.Rings.Tests;

/// <summary>The length of a run of stamps, by vectors of every width, against looking at one after another.</summary>
public sealed unsafe class StampScanTests
{
    private const int Lap = 7;

    // Whole vectors as wide as allowed, then narrower ones, then one by one: as the run is looked for where they exist.
    private static int Run(int* stamps, int most, int widest)
    {
        int run = 0;
        if (widest >= 512 && !StampScan.Run512(stamps, Lap, most, ref run)) return run;
        if (widest >= 256 && !StampScan.Run256(stamps, Lap, most, ref run)) return run;
        if (widest >= 128 && !StampScan.Run128(stamps, Lap, most, ref run)) return run;
        while (run < most && stamps[run] == Lap) run++;
        return run;
    }

    private static void AssertAgree(int* stamps, int most)
    {
        int expected = 0;
        while (expected < most && stamps[expected] == Lap) expected++;
        Assert.Equal(expected, StampScan.Run(stamps, Lap, most));
        foreach (int widest in new[] { 512, 256, 128, 32 }) Assert.Equal(expected, Run(stamps, most, widest));
    }

    [Fact]
    public void Run_FirstOtherStampAnywhere_EveryOffsetAndLength()
    {
        const int Length = 100;
        int* memory = stackalloc int[Length + 64];
        var stamps = new Span<int>(memory, Length + 64);
        for (int offset = 0; offset < 17; offset++)
        {
            for (int most = 0; most <= Length - 17; most++)
            {
                for (int other = 0; other <= most; other++)
                {
                    stamps.Fill(Lap);
                    stamps[offset + other] = Lap - 1;
                    AssertAgree(memory + offset, most);
                }
            }
        }
    }

    [Fact]
    public void Run_RandomStamps_AllWidthsAgree()
    {
        var random = new Random(512);
        int* memory = stackalloc int[512];
        for (int round = 0; round < 5_000; round++)
        {
            int holes = random.Next(6);
            new Span<int>(memory, 512).Fill(Lap);
            for (int i = 0; i < holes; i++)
                memory[random.Next(400)] = random.Next(3) switch { 0 => Lap - 1, 1 => Lap | int.MinValue, _ => random.Next() };
            int offset = random.Next(64);
            AssertAgree(memory + offset, random.Next(400 - offset));
        }
    }

    [Fact]
    public void Run_BehindTheEnd_IsNotLookedAt()
    {
        // All that lies behind looks right as well: only the length says where to stop.
        int[] memory = new int[256];
        Array.Fill(memory, Lap);
        fixed (int* stamps = &MemoryMarshal.GetArrayDataReference(memory))
        {
            for (int most = 0; most < 130; most++) AssertAgree(stamps, most);
        }
    }
}
