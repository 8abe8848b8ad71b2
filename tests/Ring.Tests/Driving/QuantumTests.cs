namespace Raceway.Rings.Tests;

/// <summary>How many items a step on the pool may take, and what it counts as: what follows from steps, whatever the machine does.</summary>
public sealed class QuantumTests
{
    private const long Slice = 1_000;
    private const long Long = Slice;
    private const long Short = Slice / 10;

    [Fact]
    public void Adapt_UncutOneLongStepAmongShortOnes_StaysAsItIs()
    {
        var quantum = new Quantum(Slice, cuts: false);
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
        var quantum = new Quantum(Slice, cuts: false);
        List<int> sizes = [];
        for (int i = 0; i < 5; i++)
        {
            quantum.Adapt(quantum.Items, Long);
            sizes.Add(quantum.Items / Quantum.Most);
        }

        Assert.Equal([1, 2, 2, 4, 4], sizes);
    }

    [Fact]
    public void Adapt_UncutLongStepsThatAreNotFull_StaysAsItIs()
    {
        var quantum = new Quantum(Slice, cuts: false);
        for (int i = 0; i < 4; i++) quantum.Adapt(quantum.Items - 1, Long);

        Assert.Equal(Quantum.Most, quantum.Items);
    }

    [Fact]
    public void Adapt_UncutShortStepsAfterLongOnes_ComesDownAgain()
    {
        var quantum = new Quantum(Slice, cuts: false);
        for (int i = 0; i < 8; i++) quantum.Adapt(quantum.Items, Long);
        Assert.Equal(Quantum.Most * 16, quantum.Items);
        for (int i = 0; i < 5; i++) quantum.Adapt(1, Short);

        Assert.Equal(Quantum.Most, quantum.Items);
    }

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
}
