using System.Text.RegularExpressions;
using System.Xml.Linq;
using Raceway.Gates.Tests.Docs.Examples;

namespace Raceway.Gates.Tests.Docs;

/// <summary>A comment is read in a package, where there is neither the tree nor what is internal.</summary>
public sealed partial class XmlDocsTests
{
    /// <summary>Namespaces that hold types of ours.</summary>
    private static readonly string[] s_ours = ["Raceway.", "Serilog.Raceway", "Microsoft.Extensions.Logging.Raceway"];

    [Fact]
    public void Comments_WhatTheyReferTo_IsPublic()
    {
        string[] found =
        [
            .. XmlDocs.Comments.SelectMany(static one => one.Value.Descendants().Attributes("cref")
                .Select(static cref => cref.Value)
                .Where(static cref => s_ours.Any(cref[2..].StartsWith) && !XmlDocs.Shown.ContainsKey(cref))
                .Select(cref => $"{one.Key} refers to {cref}")),
        ];
        Assert.True(found.Length == 0, $"A user cannot follow these.\n{string.Join('\n', found)}");
    }

    [Fact]
    public void Comments_FilesOfTheTree_AreNotNamed()
    {
        string[] found =
        [
            .. XmlDocs.Comments.Where(static one => InTree().IsMatch(TextOf(one.Value)))
                .Select(static one => $"{one.Key}: {InTree().Match(TextOf(one.Value)).Value}"),
        ];
        Assert.True(found.Length == 0, $"A package has no such file: say in the comment what it says.\n{string.Join('\n', found)}");
    }

    [Fact]
    public void Comments_OfPublicMembers_AreRead() => Assert.InRange(XmlDocs.Comments.Count, 1_000, int.MaxValue);

    // Code may name files of its own.
    private static string TextOf(XElement comment) =>
        string.Concat(comment.DescendantNodes().OfType<XText>().Where(static text => !text.Ancestors("code").Any()).Select(static text => text.Value));

    [GeneratedRegex(@"\b(?:docs|src|tests|samples|bench)/[\w./-]+|\b[\w{}.-]+\.(?:md|cs)\b")]
    private static partial Regex InTree();
}
