using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing.Planted;

/// <summary>A table in memory. Each call of it is a fault point.</summary>
internal sealed class Table(FaultPoints? faults = null)
{
    public List<long> Rows { get; } = [];

    public void Write(long row)
    {
        faults?.Visit("write");
        Rows.Add(row);
    }

    /// <summary>All of them, or none.</summary>
    public void WriteAll(IReadOnlyList<long> rows)
    {
        faults?.Visit("write all");
        Rows.AddRange(rows);
    }
}

/// <summary>An item whose object belongs to its slot.</summary>
internal sealed class Order
{
    public long Number { get; set; }

    public long Total { get; set; }
}
