using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>Which visits of a fault point fail.</summary>
public sealed class FaultPointsTests
{
    private readonly FaultPoints _faults = new();

    [Fact]
    public void FailNext_APoint_FailsSoManyVisitsOfIt()
    {
        _faults.FailNext("write", times: 2);
        Assert.Equal("..ff.", Visits("read", "read", "write", "write", "write"));
        Assert.Equal((5, 2), (_faults.Visits, _faults.Thrown));
    }

    [Fact]
    public void FailAt_AVisit_FailsThatOneWhateverItsPoint()
    {
        _faults.FailAt(1);
        _faults.FailAt(3);
        Assert.Equal(".f.f", Visits("read", "write", "read", "read"));
    }

    [Fact]
    public void FailBySeed_SameSeed_FailsTheSame()
    {
        string[] points = [.. Enumerable.Repeat("write", 200)];
        _faults.FailBySeed(5, 0.3);
        string first = Visits(points);
        _faults.FailBySeed(5, 0.3);
        Assert.Equal(first, Visits(points));
        Assert.InRange(first.Count(static visit => visit == 'f'), 30, 90);
        _faults.FailBySeed(6, 0.3);
        Assert.NotEqual(first, Visits(points));
    }

    [Fact]
    public void Visit_Fails_SaysWhere()
    {
        _faults.FailNext("write");
        InjectedFaultException fault = Assert.Throws<InjectedFaultException>(() => _faults.Visit("write"));
        Assert.Equal(("write", 0), (fault.Point, fault.Visit));
    }

    [Fact]
    public void Calls_WrongValues_AreRefused()
    {
        Assert.Throws<ArgumentNullException>(() => _faults.Visit(null!));
        Assert.Throws<ArgumentNullException>(() => _faults.FailNext(null!));
        Assert.Throws<ArgumentOutOfRangeException>(() => _faults.FailNext(times: 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => _faults.FailAt(-1));
        foreach (double chance in new[] { -0.1, 1.1, double.NaN, double.PositiveInfinity })
            Assert.Throws<ArgumentOutOfRangeException>(() => _faults.FailBySeed(0, chance));
        Assert.Equal(0, _faults.Visits);
    }

    private string Visits(params string[] points) => string.Concat(points.Select(point =>
    {
        try
        {
            _faults.Visit(point);
            return '.';
        }
        catch (InjectedFaultException)
        {
            return 'f';
        }
    }));
}
