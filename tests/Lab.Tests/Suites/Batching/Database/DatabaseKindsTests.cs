using Raceway.Lab.Cli;
using Raceway.Measuring;
using Raceway.Suites.Batching;
using Raceway.Suites.Batching.Database;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>The databases as kinds of work of the batching suite.</summary>
public sealed class DatabaseKindsTests
{
    private static readonly string[] s_kinds = ["postgres-batch", "postgres-copy", "sqlite"];

    [Fact]
    public void Kinds_AreCasesOfTheSuite_WithEachArrival() =>
        Assert.Subset(
            SuiteList.All["batching"].Cases.Select(static one => one.Name).ToHashSet(),
            s_kinds.SelectMany(static kind => new[] { kind, $"{kind} at half speed", $"{kind} at a fixed rate" }).ToHashSet());

    [Fact]
    public void Quick_HasSqliteAlone() =>
        Assert.Equal(["sqlite"], SuiteList.Select("batching", [], quick: true).Select(static one => one.Name).Intersect(s_kinds));

    [Fact]
    public void Postgres_WithoutAServer_ItsRowsSayHowToGetOne()
    {
        IEnumerable<IContestant> contestants = BatchingCases.All.Where(static one => one.Name.StartsWith("postgres", StringComparison.Ordinal))
            .SelectMany(static one => one.Create());

        Assert.All(contestants, static one => Assert.Equal(PostgresServer.Missing, (one as AbsentContestant)?.Note));
        string script = Path.Combine(Tree.Root, "bench", "Suites", "Batching", "Database", "postgres.sh");
        Assert.True(File.Exists(script), script);
        if (Environment.GetEnvironmentVariable(PostgresServer.Variable) is null)
            Assert.Contains(Path.GetRelativePath(Tree.Root, script), PostgresServer.Missing, StringComparison.Ordinal);
    }
}
