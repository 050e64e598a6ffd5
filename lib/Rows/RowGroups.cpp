//===- RowGroups.cpp - which ops share a loop over rows -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/IR/KnownExtents.h"
#include "norm/IR/Missed.h"
#include "norm/Rows/Rows.h"

using namespace mlir;
using namespace mlir::norm;
using linalg::LinalgOp;
using utils::IteratorType;

/// The positions of an op's loops in the iteration space of its group's root;
/// kNowhere for loops that the root does not have.
using LoopPositions = SmallVector<int64_t>;
static constexpr int64_t kNowhere = -1;

/// The elements of a row that one result packs, such as 4-bit numbers in 16
/// bits.
static constexpr int64_t kMostPackedElements = 4;

/// Returns true for a product of a matrix and a vector, such as the sum of a
/// row under a weight.
static bool isMatrixTimesVector(LinalgOp op) {
  return isa<linalg::GenericOp>(*op) && op.getNumReductionLoops() == 1 &&
         op.getIteratorTypesArray().back() == IteratorType::reduction &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getNumResults() ==
             op.getNumLoops() - 1 &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return op.getMatchingIndexingMap(input).isIdentity();
         });
}

/// Returns true for maps of plain dimensions and constants.
static bool accessesElementsOfLoops(LinalgOp op) {
  auto isPlain = [](AffineExpr expr) {
    return isa<AffineDimExpr, AffineConstantExpr>(expr);
  };
  // Tiling needs results without constants; unit dims are folded before.
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isProjectedPermutation())
      return false;
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::all_of(map.getResults(), isPlain);
  });
}

/// Returns true for ops that can join a group: on tensors, with plain maps, and
/// no contraction whose vectors rows would recompute.
static bool isRowWise(LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return false;
  if ((isContraction(op) && !isMatrixTimesVector(op)) ||
      linalg::isaConvolutionOpInterface(op))
    return false;
  return accessesElementsOfLoops(op);
}

/// Maps the loops of the producer of `use` to the root of the user's group.
static LoopPositions followToProducer(OpOperand &use,
                                      const LoopPositions &userPositions) {
  auto user = cast<LinalgOp>(use.getOwner());
  auto result = cast<OpResult>(use.get());
  auto producer = cast<LinalgOp>(result.getOwner());
  AffineMap useMap = user.getMatchingIndexingMap(&use);
  AffineMap defMap = producer.getIndexingMapMatchingResult(result);
  LoopPositions found(producer.getNumLoops(), kNowhere);
  for (auto [useExpr, defExpr] :
       llvm::zip(useMap.getResults(), defMap.getResults()))
    if (isa<AffineDimExpr>(useExpr) && isa<AffineDimExpr>(defExpr))
      found[cast<AffineDimExpr>(defExpr).getPosition()] =
          userPositions[cast<AffineDimExpr>(useExpr).getPosition()];
  return found;
}

/// Returns how many elements a reduction combines to one, if it is known.
static int64_t countReducedElements(LinalgOp op) {
  SmallVector<int64_t> extents;
  for (auto [extent, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == IteratorType::reduction)
      extents.push_back(extent);
  return multiplyExtents(extents, /*open=*/0);
}

namespace {
/// What a value of a reduction's result stands for: the number of the
/// reduction's loops and of the elements that it combines. 0: unknown, or no
/// reduction.
struct Statistic {
  int64_t loops = 0, elements = 0;
};

/// Assigns the ops of a block to groups, users first.
class GroupBuilder {
public:
  GroupBuilder(Block &block, RowShape shape) : block(block), shape(shape) {
    for (auto op : block.getOps<LinalgOp>())
      statistics[op] = findStatistic(op);
  }

  std::deque<RowGroup> build() {
    SmallVector<LinalgOp> ops(block.getOps<LinalgOp>());
    for (LinalgOp op : llvm::reverse(ops)) {
      if (!canJoin(op))
        explainOtherElements(op);
      else if (!joinUsers(op) && !linalg::isaContractionOpInterface(op))
        openGroup(op);
    }
    llvm::erase_if(groups,
                   [&](const RowGroup &group) { return !hasRows(group); });
    return std::move(groups);
  }

private:
  struct Membership {
    RowGroup *group = nullptr;
    LoopPositions positions;
  };

  /// Only the kernel of a row that is alone computes scalars.
  bool canJoin(LinalgOp op) {
    return isRowWise(op) && (shape == RowShape::Alone || op.getNumLoops() > 0);
  }

  /// There is nothing to say of ops that have no rows.
  void missed(LinalgOp op, Missed why) {
    if (shape != RowShape::Alone)
      norm::missed(op, why);
  }

  bool hasRows(const RowGroup &group) {
    // A row that is alone shares nothing without a statistic.
    if (shape == RowShape::Alone)
      return group.hasReduction;
    LinalgOp root = group.root;
    SmallVector<int64_t> extents = root.getStaticLoopRanges();
    // Such ops share a loop of one iteration, with loops over rows or without.
    if (shape == RowShape::OneVector &&
        llvm::all_of(ArrayRef(extents).take_front(group.numRowDims),
                     [](int64_t extent) { return extent == 1; }))
      return false;
    // A GPU's sums of rows that no member reads are faster by columns.
    if (group.sums && shape == RowShape::OneVector)
      return group.members.size() > 1 ||
             llvm::is_contained(group.sums->results, std::nullopt);
    // If all loops of a group are rows, each row is one value. Without a
    // reduction that makes such values, the group has no rows.
    return group.hasReduction || group.numRowDims != root.getNumLoops();
  }

  /// Returns the statistic that an op has from the start of a chain of ops of
  /// its rank. It tells statistics of rows from those of a weight.
  Statistic findStatistic(LinalgOp op) {
    if (!isRowWise(op) || op.getNumLoops() == 0)
      return {};
    if (op.getNumReductionLoops() > 0)
      return {op.getNumLoops(), countReducedElements(op)};
    Statistic most;
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || type.getRank() != op.getNumLoops())
        continue;
      Statistic found = statistics.lookup(operand.getDefiningOp());
      most.loops = std::max(most.loops, found.loops);
      most.elements = std::max(most.elements, found.elements);
    }
    return most;
  }

  static bool seesSameRows(const RowGroup &group, const LoopPositions &a,
                           const LoopPositions &b) {
    auto isRow = [&](int64_t dim) { return dim < group.numRowDims; };
    return llvm::all_of(llvm::zip(a, b), [&](auto pair) {
      auto [x, y] = pair;
      return x == y ||
             ((x == kNowhere || !isRow(x)) && (y == kNowhere || !isRow(y)));
    });
  }

  /// Returns true if `loop` walks the neighbors in memory of a sum over rows,
  /// which then are no rows themselves.
  static bool isColumnLoop(LinalgOp op, unsigned loop) {
    return op.getNumReductionLoops() > 0 && loop + 1 == op.getNumLoops();
  }

  /// Contractions, which never join, have plain maps.
  void explainOtherElements(LinalgOp op) {
    bool hasGroup = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return membership.contains(user);
    });
    if (hasGroup && op.getNumLoops() > 0 && !accessesElementsOfLoops(op))
      missed(op, Missed::OtherElements);
  }

  /// Returns the leading dimensions that stay rows when `op` joins, or 0 if it
  /// cannot join. Only a reduction of whole rows and ops on its result make
  /// rows longer; other ops over fewer dimensions are weights. A reduction over
  /// fewer dimensions is one of whole rows if it combines as many elements, or
  /// a few times as many: rows are looked at as blocks behind it, and packed.
  int64_t getRowDimsWith(const RowGroup &group, LinalgOp op,
                         const LoopPositions &positions) {
    SmallVector<IteratorType> kinds = op.getIteratorTypesArray();
    int64_t kept = 0;
    while (kept < group.numRowDims) {
      const int64_t *loop = llvm::find(positions, kept);
      if (loop == positions.end() ||
          kinds[loop - positions.begin()] != IteratorType::parallel ||
          isColumnLoop(op, loop - positions.begin()))
        break;
      ++kept;
    }
    if (kept == group.numRowDims)
      return kept;
    LinalgOp root = group.root;
    bool isElementwise = op.getNumReductionLoops() == 0;
    int64_t length = multiplyExtents(
        ArrayRef(root.getStaticLoopRanges()).drop_front(kept), /*open=*/0);
    Statistic statistic = statistics.lookup(op);
    bool isOfRows = statistic.loops >= root.getNumLoops() ||
                    combinesRow(statistic.elements, length);
    if (!isOfRows ||
        (isElementwise && llvm::any_of(positions, [&](int64_t position) {
           return position >= kept;
         })))
      return 0;
    return kept;
  }

  /// Returns true if so many reduced elements are those of a row of `length`
  /// results, of which each may come from several elements.
  static bool combinesRow(int64_t elements, int64_t length) {
    return length != 0 && elements != 0 && elements % length == 0 &&
           elements / length <= kMostPackedElements;
  }

  static bool hasOneVector(LinalgOp op, const LoopPositions &positions,
                           int64_t numRowDims) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    for (unsigned loop = 0; loop + 1 < op.getNumLoops(); ++loop)
      if ((positions[loop] == kNowhere || positions[loop] >= numRowDims) &&
          extents[loop] != 1)
        return false;
    return canVectorizeRow(op);
  }

  /// Returns true if `op` computes elements of a row, or something of all of
  /// it.
  static bool hasLengthOfRow(const RowGroup &group, LinalgOp op) {
    int64_t length = getRowExtent(op);
    return length == 1 || llvm::all_of(group.members, [&](LinalgOp member) {
             return llvm::is_contained({int64_t(1), length},
                                       getRowExtent(member));
           });
  }

  bool isSupported(const RowGroup &group, LinalgOp op,
                   const LoopPositions &positions, int64_t numRowDims) {
    if (shape == RowShape::Any)
      return true;
    if (shape == RowShape::Alone && !hasLengthOfRow(group, op))
      return false;
    return hasOneVector(op, positions, numRowDims) &&
           (numRowDims == group.numRowDims ||
            llvm::all_of(group.members, [&](LinalgOp member) {
              return hasOneVector(member, membership[member].positions,
                                  numRowDims);
            }));
  }

  void add(RowGroup &group, LinalgOp op, LoopPositions positions,
           int64_t numRowDims) {
    group.numRowDims = numRowDims;
    if (group.sums)
      group.sums->numLoops = numRowDims;
    group.hasReduction |= op.getNumReductionLoops() > 0;
    group.members.push_back(op);
    membership[op] = {&group, std::move(positions)};
  }

  /// Adds `op` to the first group that uses it; returns false if that, or
  /// another user, keeps it apart.
  bool joinUsers(LinalgOp op) {
    RowGroup *group = nullptr;
    SmallVector<Operation *> others;
    for (Operation *user : op->getUsers()) {
      RowGroup *found = membership.lookup(user).group;
      if (found && (!group || found->root->isBeforeInBlock(group->root)))
        group = found;
      else if (!found && !isa<tensor::DimOp>(user))
        others.push_back(block.findAncestorOpInBlock(*user));
    }
    if (!group)
      return false;
    // Users in other blocks of a function do not see results of the loop.
    if (llvm::any_of(others, [&](Operation *other) {
          return !other || !group->root->isBeforeInBlock(other);
        }))
      return missed(op, Missed::UsedBefore), false;
    return join(op, *group);
  }

  bool join(LinalgOp op, RowGroup &group) {
    std::optional<LoopPositions> found;
    for (OpOperand &use : op->getUses()) {
      Membership user = membership.lookup(use.getOwner());
      if (user.group != &group)
        continue;
      LoopPositions seen = followToProducer(use, user.positions);
      if (!found)
        found = std::move(seen);
      else if (!seesSameRows(group, *found, seen))
        return missed(op, Missed::OtherRows), false;
    }
    LoopPositions &positions = *found;
    int64_t numRowDims = getRowDimsWith(group, op, positions);
    if (numRowDims == 0 && shape != RowShape::Alone) {
      bool hasRows = llvm::any_of(positions, [&](int64_t position) {
        return position != kNowhere && position < group.numRowDims;
      });
      missed(op, hasRows ? Missed::OtherLoops : Missed::OncePerLoop);
      return false;
    }
    if (!isSupported(group, op, positions, numRowDims))
      return missed(op, Missed::NotOneVector), false;
    add(group, op, std::move(positions), numRowDims);
    return true;
  }

  /// Returns the sums over rows of an op that gains from a loop over its rows:
  /// it also writes them, or reads a statistic of each.
  std::optional<PartialSums> findSums(LinalgOp op) {
    std::optional<PartialSums> sums = matchRowSums(op);
    if (!sums)
      return std::nullopt;
    bool writesRows = llvm::is_contained(sums->results, std::nullopt);
    bool readsStatistic = llvm::any_of(op->getOperands(), [&](Value operand) {
      return statistics.lookup(operand.getDefiningOp()).loops >=
             op.getNumLoops();
    });
    bool gains = (writesRows || readsStatistic) && canHoldSums(op);
    return gains ? sums : std::nullopt;
  }

  /// Returns false for a GPU whose threads cannot hold a row with its sums.
  bool canHoldSums(LinalgOp op) {
    return shape == RowShape::Any || getSchedule(block.getParentOp()) ||
           scheduleSums(op);
  }

  /// Opens a group of `root`, which its producers may join.
  void openGroup(LinalgOp root) {
    SmallVector<IteratorType> kinds = root.getIteratorTypesArray();
    int64_t loops = kinds.size(), numRowDims = 0;
    std::optional<PartialSums> sums;
    if (shape != RowShape::Alone) {
      sums = findSums(root);
      numRowDims =
          sums ? sums->numLoops
               : llvm::find(kinds, IteratorType::reduction) - kinds.begin();
      // An op on the statistics of rows has one value per row, and no rows.
      if (numRowDims == loops && statistics.lookup(root).loops <= loops)
        numRowDims = loops - 1;
      if (numRowDims == 0) {
        // A GPU's sums of rows join or get loops later.
        if (kinds.front() == IteratorType::reduction && loops > 1 &&
            shape == RowShape::Any)
          missed(root, Missed::RowsReduced);
        return;
      }
    }
    LoopPositions identity = llvm::to_vector(llvm::seq(loops));
    if (shape != RowShape::Any && !hasOneVector(root, identity, numRowDims))
      return missed(root, Missed::NotOneVector);
    RowGroup &group = groups.emplace_back();
    group.root = root;
    group.sums = std::move(sums);
    group.isOfPart = getRole(block.getParentOp()) == LoopRole::Rows;
    add(group, root, std::move(identity), numRowDims);
  }

  Block &block;
  RowShape shape;
  llvm::DenseMap<Operation *, Statistic> statistics;
  llvm::DenseMap<Operation *, Membership> membership;
  std::deque<RowGroup> groups; // addresses stay valid
};
} // namespace

std::deque<RowGroup> norm::findRowGroups(Block &block, RowShape shape) {
  return GroupBuilder(block, shape).build();
}
