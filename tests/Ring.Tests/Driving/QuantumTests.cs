namespace Raceway.Rings.Tests;

/// <summary>How many items a step on the pool may take, and what it counts as: what follows from steps, whatever the machine does.</summary>
public sealed class QuantumTests
{
    private const long Slice = 1_000;
    private const long Long = Slice;
    private const long Short = Slice / 10;
    private const int MostShort = 4096;

    [Fact]
    public void Adapt_UncutFullShortSteps_DoubleFromAFew() =>
        Assert.Equal([64, 128, 256, 512, 1024, 2048, 4096, 4096, 4096], SizesOf(Short, steps: 8));

    // A disk's sync: while few items wait for it, little is done.
    [Fact]
    public void Adapt_UncutFullLongSteps_GrowFasterFromAFew() =>
        Assert.Equal([64, 256, 1024, 2048, 4096, 8192], SizesOf(Long, steps: 5));

    [Fact]
    public void Adapt_UncutFirstStepAloneIsLong_GoesOnAsShortOnesDo()
    {
        var quantum = new Quantum(Slice, cuts: false, MostShort);
        quantum.Adapt(quantum.Items, Long);
        quantum.Adapt(quantum.Items, Short);
        Assert.Equal(512, quantum.Items);
        quantum.Adapt(quantum.Items, Short);
        quantum.Adapt(quantum.Items, Long);

        Assert.Equal(Quantum.Most, quantum.Items);
    }

    [Fact]
    public void Adapt_UncutStepsThatAreNotFull_StayAsTheyAre()
    {
        var quantum = new Quantum(Slice, cuts: false, MostShort);
        for (int i = 0; i < 4; i++)
        {
            quantum.Adapt(quantum.Items - 1, Long);
            quantum.Adapt(quantum.Items - 1, Short);
        }

        Assert.Equal(64, quantum.Items);
    }

    [Fact]
    public void Adapt_UncutOneLongStepAmongShortOnes_StaysAsItIs()
    {
        Quantum quantum = Grown();
        for (int i = 0; i < 4; i++)
        {
            quantum.Adapt(quantum.Items, Long);
            quantum.Adapt(quantum.Items, Short);
        }

        Assert.Equal(Quantum.Most, quantum.Items);
    }

    [Fact]
    public void Adapt_UncutTwoLongFullStepsRunning_Doubles()
    {
        Quantum quantum = Grown();
        List<int> sizes = [];
        for (int i = 0; i < 5; i++)
        {
            quantum.Adapt(quantum.Items, Long);
            sizes.Add(quantum.Items / Quantum.Most);
        }

        Assert.Equal([1, 2, 4, 8, 16], sizes);
    }

    [Fact]
    public void Adapt_UncutLongStepsThatAreNotFull_StaysAsItIs()
    {
        Quantum quantum = Grown();
        for (int i = 0; i < 4; i++) quantum.Adapt(quantum.Items - 1, Long);

        Assert.Equal(Quantum.Most, quantum.Items);
    }

    [Fact]
    public void Adapt_UncutShortStepsAfterLongOnes_ComesDownAgain()
    {
        Quantum quantum = Grown();
        for (int i = 0; i < 5; i++) quantum.Adapt(quantum.Items, Long);
        Assert.Equal(Quantum.Most * 16, quantum.Items);
        for (int i = 0; i < 5; i++) quantum.Adapt(1, Short);

        Assert.Equal(Quantum.Most, quantum.Items);
    }

    [Fact]
    public void Adapt_UncutItemsThatWereCheap_ComeDownOnceAStepTakesMoreThanASlice()
    {
        var quantum = new Quantum(Slice, cuts: false, MostShort);
        for (int i = 0; i < 10; i++) quantum.Adapt(quantum.Items, Short);
        Assert.Equal(MostShort, quantum.Items);
        // Somewhat longer, again and again: neither more nor fewer.
        for (int i = 0; i < 10; i++) quantum.Adapt(quantum.Items, Slice);
        Assert.Equal(MostShort, quantum.Items);

        quantum.Adapt(quantum.Items, Slice * 100);
        Assert.Equal(Quantum.Most, quantum.Items);
        // Now it may be the call.
        quantum.Adapt(quantum.Items, Slice * 100);
        quantum.Adapt(quantum.Items, Slice * 100);
        Assert.Equal(Quantum.Most * 2, quantum.Items);
    }

    [Theory]
    [InlineData(16, 1024)]
    [InlineData(4096, 1024)]
    [InlineData(8192, 2048)]
    [InlineData(16384, 4096)]
    [InlineData(1 << 20, 4096)]
    public void MostShortOf_ACapacity_IsAQuarterWithinBounds(int capacity, int most) => Assert.Equal(most, Quantum.MostShortOf(capacity));

    [Fact]
    public void Adapt_UncutForEver_DoesNotOverflow()
    {
        var quantum = new Quantum(Slice, cuts: false);
        for (int i = 0; i < 100; i++) quantum.Adapt(int.MaxValue, Long);

        Assert.Equal(1 << 30, quantum.Items);
    }

    [Fact]
    public void Adapt_CutLongStep_HasWhatHalfASliceTakes()
    {
        var quantum = new Quantum(Slice, cuts: true);
        for (int i = 0; i < 20; i++) quantum.Adapt(quantum.Items, Short);
        Assert.Equal(Quantum.Most, quantum.Items);

        quantum.Adapt(quantum.Items, Slice * 4);
        Assert.Equal(Quantum.Most / 8, quantum.Items);
        quantum.Adapt(1, Slice * 1_000);
        Assert.Equal(1, quantum.Items);
    }

    // A disk's sync: it takes four slices, for one item and for a thousand.
    [Fact]
    public void Adapt_CutCallThatTakesLongByItself_IsGivenAllThatMayBe()
    {
        var quantum = new Quantum(Slice, cuts: true);
        for (int i = 0; i < 20; i++) quantum.Adapt(quantum.Items, 4 * Slice);

        int least = Quantum.Most;
        for (int i = 0; i < 1_000; i++)
        {
            quantum.Adapt(quantum.Items, 4 * Slice);
            least = Math.Min(least, quantum.Items);
        }

        // Half now and then: is it still the call?
        Assert.Equal(Quantum.Most / 2, least);
    }

    [Fact]
    public void Adapt_CutCallWithAPriceAndItems_ItemsTakeAsLongAsTheCall()
    {
        var quantum = new Quantum(Slice, cuts: true);
        long items = 0;
        for (int i = 0; i < 1_000; i++)
        {
            items += quantum.Items;
            quantum.Adapt(quantum.Items, (4 * Slice) + (quantum.Items * Slice / 100));
        }

        Assert.InRange(items / 1_000, 200, 450);
    }

    [Fact]
    public void Adapt_CutCallWithAPriceThatHadSingleItemsForLong_GrowsOnceMoreCome()
    {
        var quantum = new Quantum(Slice, cuts: true);
        for (int i = 0; i < 1_000; i++) quantum.Adapt(1, 4 * Slice);
        for (int i = 0; i < 20; i++) quantum.Adapt(quantum.Items, 4 * Slice);

        Assert.InRange(quantum.Items, Quantum.Most / 2, Quantum.Most);
    }

    [Fact]
    public void Adapt_CutItemsThatTakeLong_StaySingleButForAComparison()
    {
        var quantum = new Quantum(Slice, cuts: true);
        for (int i = 0; i < 4; i++) quantum.Adapt(quantum.Items, quantum.Items * Slice);
        int more = 0;
        for (int i = 0; i < 1_000; i++)
        {
            Assert.InRange(quantum.Items, 1, 2);
            if (quantum.Items > 1) more++;
            quantum.Adapt(quantum.Items, quantum.Items * Slice);
        }

        Assert.InRange(more, 10, 20);
    }

    // The machine took the processor away during the one step that another is compared with.
    [Fact]
    public void Adapt_CutPriceThatIsNone_IsForgotten()
    {
        for (int lost = 0; lost < 200; lost++)
        {
            var quantum = new Quantum(Slice, cuts: true);
            for (int i = 0; i < 400; i++)
            {
                // Also until then a step has few items: the shorter one of the two counts.
                Assert.InRange(quantum.Items * Slice / 5, 0, 8 * Slice);
                quantum.Adapt(quantum.Items, (quantum.Items * Slice / 5) + (i == lost ? 100 * Slice : 0));
            }

            long took = 0;
            for (int i = 0; i < 256; i++)
            {
                took += quantum.Items * Slice / 5;
                quantum.Adapt(quantum.Items, quantum.Items * Slice / 5);
            }

            Assert.InRange(took / 256, 0, Slice);
        }
    }

    [Fact]
    public void Add_OneLongStepAmongShortOnes_CountsLongForManySteps()
    {
        var cost = new StepCost(unknown: 50_000);
        cost.Add(100);
        Assert.Equal(100, cost.Ticks);
        cost.Add(30_000_000);
        for (int i = 0; i < 120; i++) cost.Add(100);
        Assert.InRange(cost.Ticks, 5_000, 30_000);
        for (int i = 0; i < 120; i++) cost.Add(100);

        Assert.InRange(cost.Ticks, 100, 200);
    }

    private static List<int> SizesOf(long took, int steps)
    {
        var quantum = new Quantum(Slice, cuts: false, MostShort);
        List<int> sizes = [quantum.Items];
        for (int i = 0; i < steps; i++)
        {
            quantum.Adapt(quantum.Items, took);
            sizes.Add(quantum.Items);
        }

        return sizes;
    }

    /// <summary>One that is past its first steps, of a ring that allows no more than usual.</summary>
    private static Quantum Grown()
    {
        var quantum = new Quantum(Slice, cuts: false);
        for (int i = 0; i < 20 && quantum.Items < Quantum.Most; i++) quantum.Adapt(quantum.Items, Short);
        return quantum;
    }
}
