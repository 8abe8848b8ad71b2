namespace Raceway.Rings.Tests;

/// <summary>Where hot cells really lie.</summary>
public sealed unsafe class RingMemoryTests
{
    private const int Takes = 500;

    private static List<nint> TakeMany(RingMemory block, int longs = 1)
    {
        List<nint> cells = [];
        for (int i = 0; i < Takes; i++) cells.Add((nint)block.Take(longs));
        return cells;
    }

    [Theory]
    [InlineData(CellPadding.Line, 64)]
    [InlineData(CellPadding.LinePair, 128)]
    public void Take_Padded_NoTwoShareALine(CellPadding padding, int line)
    {
        var block = new RingMemory(padding);
        List<nint> cells = TakeMany(block);
        Assert.Equal(Takes, cells.Select(cell => cell / line).Distinct().Count());
        Assert.All(cells, cell => Assert.Equal(0, cell % line));
        GC.KeepAlive(block);
    }

    [Theory]
    [InlineData(CellPadding.Line, 64)]
    [InlineData(CellPadding.LinePair, 128)]
    public void Take_SeveralLongs_KeepsThemFromTheNextTaker(CellPadding padding, int line)
    {
        var block = new RingMemory(padding);
        int longs = line / sizeof(long) + 1;
        List<nint> cells = TakeMany(block, longs);
        cells.Sort();
        for (int i = 1; i < cells.Count; i++) Assert.True(cells[i] - cells[i - 1] >= 2 * line);
        GC.KeepAlive(block);
    }

    [Fact]
    public void Take_None_PacksEightToALine()
    {
        var block = new RingMemory(CellPadding.None);
        List<nint> cells = TakeMany(block);
        for (int i = 1; i < 256; i++) Assert.Equal(8, cells[i] - cells[i - 1]);
        GC.KeepAlive(block);
    }

    [Theory]
    [InlineData(CellPadding.None)]
    [InlineData(CellPadding.Line)]
    [InlineData(CellPadding.LinePair)]
    public void Take_First_IsAlignedTo128(CellPadding padding)
    {
        for (int i = 0; i < 20; i++)
        {
            var block = new RingMemory(padding);
            Assert.Equal(0, (nint)block.Take() % 128);
            GC.KeepAlive(block);
        }
    }

    [Theory]
    [InlineData(CellPadding.None)]
    [InlineData(CellPadding.LinePair)]
    public void Take_ManyWritten_StayApartAfterCollections(CellPadding padding)
    {
        var block = new RingMemory(padding);
        List<nint> cells = TakeMany(block, 2);
        for (int i = 0; i < cells.Count; i++)
        {
            Assert.Equal(0, *(long*)cells[i]);
            *(long*)cells[i] = i;
            *((long*)cells[i] + 1) = -i;
        }

        GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
        for (int i = 0; i < cells.Count; i++)
            Assert.Equal((i, -i), (*(long*)cells[i], *((long*)cells[i] + 1)));
        GC.KeepAlive(block);
    }

    [Fact]
    public void Sequencer_DefaultPadding_NoHotCellSharesALinePair()
    {
        var ring = Make.Ring(8, ProducerKind.Multi);
        Stage[] stages = [.. Enumerable.Range(0, 4).Select(_ => ring.Subscribe(new Recorder(), Make.Stepped()))];
        Sequencer sequencer = ring.Sequencer;
        var claims = (MultiClaims)ring.Claims;
        List<nint> cells =
        [
            (nint)sequencer.Cursor.ValueCell, (nint)sequencer.Cursor.NearestCell, (nint)claims.Claimed,
            (nint)claims.Granted, (nint)sequencer.Control.Cell,
        ];
        foreach (Stage stage in stages)
        {
            cells.Add((nint)stage.Done.ValueCell);
            cells.Add((nint)stage.Done.NearestCell);
            // Its caller writes it with each step, also with those that find nothing.
            cells.Add((nint)stage.Caller!.Cell);
        }

        Assert.Equal(cells.Count, cells.Select(cell => cell / 128).Distinct().Count());
        GC.KeepAlive(ring);
    }
}
